import type { Language } from "@edp/domain/shared/Language"

const locales: Readonly<Record<Language, string>> = { en: "en-US", es: "es-US", de: "de" }

/** An instant in words, in UTC: where the reader is, only a script could tell. */
export const instantInWords = (language: Language, iso: string): string =>
  `${new Intl.DateTimeFormat(locales[language], { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }).format(new Date(iso))} UTC`

/** Names as a choice, such as "California, Texas or Ohio". */
export const listChoices = (language: Language, names: ReadonlyArray<string>): string =>
  new Intl.ListFormat(language, { type: "disjunction" }).format(names)

/** An instant that the script of the pages shows in the reader's own time zone. */
export const Instant = ({ language, iso }: { readonly language: Language; readonly iso: string }) => (
  <time dateTime={iso} data-local="">
    {instantInWords(language, iso)}
  </time>
)
