"""The window itself: docks, menus, theme, texts."""
