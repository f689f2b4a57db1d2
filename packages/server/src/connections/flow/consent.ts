/** Version of the text of the consent page: it changes with what the text says, not with its words. */
export const CONSENT_VERSION = "1"
