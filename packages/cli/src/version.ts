/** That of the package; a test holds the two together. */
export const VERSION = "1.0.0"
