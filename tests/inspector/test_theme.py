from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from inspector import theme


def _luminance(colour: str) -> float:
    def part(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    r, g, b = (part(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_kind_is_readable_on_every_background():
    for dark, colours in ((False, theme.LIGHT), (True, theme.DARK)):
        for kind in (*theme.KINDS, "error", "warning"):
            for ground in (colours.base, colours.panel, colours.selection):
                assert contrast(theme.kind_hex(kind, dark), ground) >= 4.5, (kind, dark, ground)
        for text in (colours.text, colours.muted, colours.accent):
            assert contrast(text, colours.base) >= 4.5
            assert contrast(text, colours.panel) >= 4.5
            assert contrast(text, colours.selection) >= 4.5


def test_letters_and_colours_are_those_of_the_design():
    letters = "".join(theme.kind_letter(kind) for kind in theme.KINDS)
    assert letters == "SMKTHARΣ·"
    assert theme.kind_letter("error") == theme.kind_letter("warning") == "!"
    assert theme.kind_hex("human", False) == "#1d5fc4"
    assert theme.kind_hex("summary", True) == "#ff8ad1"


def test_a_kind_of_next_year_is_shown_as_other():
    assert theme.kind_letter("hologram") == "·"
    assert theme.kind_hex("hologram", False) == theme.kind_hex("other", False)


def test_both_palettes_name_every_role(qapp):
    for colours in (theme.LIGHT, theme.DARK):
        made = theme.palette(colours)
        for role in QPalette.ColorRole:
            if role in (QPalette.ColorRole.NoRole, QPalette.ColorRole.NColorRoles):
                continue
            assert made.isBrushSet(QPalette.ColorGroup.Active, role), role
        assert made.color(QPalette.ColorRole.Base) == QColor(colours.base)


def test_a_choice_holds_against_the_system_and_is_told(qtbot, colours: QApplication):
    with qtbot.waitSignal(theme.notifier().changed):
        theme.choose(colours, "dark")
    assert theme.is_dark()
    assert colours.palette().color(QPalette.ColorRole.Base) == QColor(theme.DARK.base)
    theme.choose(colours, "light")
    assert not theme.is_dark()
    assert theme.kind_colour("ai") == QColor("#227a36")


def test_the_system_is_followed_unless_the_user_chose(colours: QApplication):
    theme.choose(colours, "system")
    assert theme.is_dark() == (colours.styleHints().colorScheme() == Qt.ColorScheme.Dark)
    assert theme.choice() == "system"


def test_data_is_monospaced_and_of_the_size_of_the_interface(qapp):
    assert theme.mono_font().pointSizeF() == QApplication.font().pointSizeF()
