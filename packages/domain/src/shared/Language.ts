/** The languages of the hosted pages. The first is the standard one. */
export const languages = ["en", "es"] as const
export type Language = (typeof languages)[number]
