/** The version that runs, as in package.json, which an installation need not have. */
export const VERSION = "1.0.0"
