"""The paper's tables and figures: studies say which runs they need, a grid trains those, rows become pages."""
