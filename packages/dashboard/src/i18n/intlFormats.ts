import type { Language } from "@edp/domain/shared/Language"

export const locales: Readonly<Record<Language, string>> = { en: "en-US", es: "es", de: "de" }

const cached = <Options extends object, Format>(make: (locale: string, options: Options) => Format) => {
  const formats = new Map<string, Format>()
  return (language: Language, options: Options): Format => {
    const key = language + JSON.stringify(options)
    let format = formats.get(key)
    if (format === undefined) {
      format = make(locales[language], options)
      formats.set(key, format)
    }
    return format
  }
}

// A format takes milliseconds to make on a slow device.
export const numberFormat = cached(
  (locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options)
)
export const dateFormat = cached(
  (locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options)
)
export const pluralRules = cached((locale, options: Intl.PluralRulesOptions) => new Intl.PluralRules(locale, options))
export const relativeFormat = cached(
  (locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options)
)
