import type { Intervention } from "@edp/domain/devices/Intervention"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"

/**
 * Texts of the service in the language of the page. In English its own words are shown, because they say more than the general text
 * of a code.
 */
export const useServiceTexts = () => {
  const { alerts, errors, interventions } = useMessages("service")
  const isEnglish = useLanguage() === "en"
  const titles: Readonly<Record<string, string>> = alerts
  const codes: Readonly<Record<string, string>> = errors
  return {
    alertTitle: (title: string) => titles[title] ?? title,
    /** The service's own words follow the general text. */
    refusal: (code: string, message: string) =>
      isEnglish || codes[code] === undefined ? message : `${codes[code]} (${message})`,
    intervention: ({ code, steps, title }: Intervention) =>
      isEnglish ? { title, steps } : { title: interventions[code].title, steps: [interventions[code].step] }
  }
}
