"""Recording a program without changing it: ``context-inspector record -- python my_agent.py``.

``launch`` starts the program with an environment in which each Python that it starts loads
``site/sitecustomize.py``; that loads ``process``, which attaches the recorder when LangChain is used. The
program's own modules may have any name: in it, this package goes by a private one.
"""
