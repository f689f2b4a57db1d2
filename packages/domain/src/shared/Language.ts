/** The languages of the dashboard and the hosted pages. The first is the standard one. */
export const languages = ["en", "es", "de"] as const
export type Language = (typeof languages)[number]

/** Each language by its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: "English", es: "Español", de: "Deutsch" }
