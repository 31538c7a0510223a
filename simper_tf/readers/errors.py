"""The one error every reader raises for raw data it cannot use."""


class RawDataError(ValueError):
    """A raw file or folder is missing, damaged or not in the documented format.

    Args:
        path: The file or folder at fault.
        found: What is there.
        expected: What the documented format has in its place.
        action: What the user can do about it.
    """

    def __init__(self, path, found, expected, action):
        super().__init__(f"{path}: found {found}; expected {expected}. {action}")
        self.path, self.found, self.expected, self.action = path, found, expected, action

    def __reduce__(self):
        # Beam workers send errors as pickles, and the default one would call this class with the message alone.
        return RawDataError, (self.path, self.found, self.expected, self.action)
