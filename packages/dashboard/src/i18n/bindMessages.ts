import type { Language } from "@edp/domain/shared/Language"
import format, { type CompiledMessage, type FormatOptions } from "icu-minify/format"
import { dateFormat, numberFormat, pluralRules } from "./intlFormats.ts"

/** Messages as the build compiles them: texts, and lists of parts where values are inserted. */
export type CompiledMessages = CompiledMessage | { readonly [name: string]: CompiledMessages }

const makeFormatters = (language: Language): FormatOptions["formatters"] => ({
  getDateTimeFormat: (_, options = {}) => dateFormat(language, options),
  getNumberFormat: (_, options = {}) => numberFormat(language, options),
  getPluralRules: (_, options = {}) => pluralRules(language, options)
})

const bind = (messages: CompiledMessages, language: Language, formatters = makeFormatters(language)): unknown => {
  if (typeof messages === "string") return messages
  if (Array.isArray(messages)) {
    return (values: Record<string, string | number>) => format(messages, language, values, { formatters })
  }
  return Object.fromEntries(Object.entries(messages).map(([name, each]) => [name, bind(each, language, formatters)]))
}

/** The messages of a language: a text is a string, and one with values a function of them. */
export const bindMessages = <Messages>(messages: CompiledMessages, language: Language) =>
  bind(messages, language) as Messages
