import { bindMessages } from "@edp/dashboard/i18n/bindMessages"
import { type Language, languages } from "@edp/domain/shared/Language"
import de from "../messages/de.json" with { type: "json" }
import en from "../messages/en.json" with { type: "json" }
import es from "../messages/es.json" with { type: "json" }
import type { Messages } from "./MessageTypes.ts"

export type { Messages }

/** A language without a file does not compile. */
const tables: Readonly<Record<Language, Messages>> = {
  en: bindMessages(en, "en"),
  es: bindMessages(es, "es"),
  de: bindMessages(de, "de")
}

/** Chooses messages of each language. */
export const inEachLanguage = <Part>(choose: (messages: Messages) => Part) =>
  Object.fromEntries(languages.map((language) => [language, choose(tables[language])])) as Readonly<
    Record<Language, Part>
  >

/** The text of a message that inserts values in some cases only. */
export const write = <Values>(message: string | ((values: Values) => string), values: Values): string =>
  typeof message === "string" ? message : message(values)

export type CommonMessages = Messages["common"]

/** The messages that all hosted pages share, by language. */
export const commonMessages = inEachLanguage(({ common }) => common)
