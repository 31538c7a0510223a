"""The one error every reader raises for raw data it cannot use, and how it quotes what is not to be trusted."""


def printable(text):
    """Returns a text in which all that a terminal might obey or cannot show is spelled out: `\\x1b`, `\\n`, `\\u202e`.

    For the names of files and what is in them, which come from others.
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


class RawDataError(ValueError):
    """A raw file or folder is missing, damaged or not in the documented format.

    Args:
        path: The file or folder at fault.
        found: What is there.
        expected: What the documented format has in its place.
        action: What the user can do about it.
    """

    def __init__(self, path, found, expected, action):
        super().__init__(printable(f"{path}: found {found}; expected {expected}. {action}"))
        self.path, self.found, self.expected, self.action = path, found, expected, action

    def __reduce__(self):
        # Beam workers send errors as pickles, and the default one would call this class with the message alone.
        return RawDataError, (self.path, self.found, self.expected, self.action)


class NoRecordingError(RawDataError):
    """A name is that of no recording, which a short sentence says better than four parts.

    Args:
        path: The file.
        sentence: What follows its name.
    """

    def __init__(self, path, sentence):
        ValueError.__init__(self, printable(f"{path}{sentence}"))
        self.path, self.found, self.expected, self.action = path, sentence, "a recording", ""

    def __reduce__(self):
        return NoRecordingError, (self.path, self.found)
