"""The items of a workspace's store, and of a stranger's: listed by namespace, edited one at a time."""

from engine.store.changing import delete_item, save_item
from engine.store.filed import file_in, save_file
from engine.store.listing import store_item, store_items, store_namespaces

__all__ = ["delete_item", "file_in", "save_file", "save_item", "store_item", "store_items", "store_namespaces"]
