import type { Language } from "@edp/domain/shared/Language"
import { type Html, html } from "../../platform/pages/html.ts"

const locales: Readonly<Record<Language, string>> = { en: "en-US", es: "es-US" }

/** An instant in words, in UTC: where the reader is, only a script could tell. */
export const instantInWords = (language: Language, iso: string): string =>
  `${new Intl.DateTimeFormat(locales[language], { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }).format(new Date(iso))} UTC`

/** An instant that the script of the pages shows in the reader's own time zone. */
export const instant = (language: Language, iso: string): Html =>
  html`<time datetime="${iso}" data-local>${instantInWords(language, iso)}</time>`
