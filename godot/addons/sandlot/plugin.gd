@tool
extends EditorPlugin
## The nodes of this addon have class names, so the editor lists them by itself; there is nothing to register.
