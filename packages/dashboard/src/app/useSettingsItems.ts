import { languageNames, languages } from "@edp/domain/shared/Language"
import { useContext } from "react"
import { useApi } from "../api/makeApi.ts"
import { SessionClient, sessionAtom, SIGNED_IN } from "../api/session.ts"
import { languageAtom, rememberLanguage } from "../i18n/language.ts"
import { loadLanguage } from "../i18n/messages.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import { useAction } from "../kit/useAction.ts"
import { RegistryContext, useAtomSet, useAtomValue } from "../state/atoms.ts"
import { writeSetting } from "../state/settings.ts"
import { rememberTheme, type Theme, themeAtom } from "./theme.ts"

interface SettingsItem {
  readonly id: string
  readonly label: string
  /** The language of the label, if it is another one than that of the page. */
  readonly lang?: string
  readonly checked?: boolean
  readonly onSelect: () => void
}

/** The settings and actions of every page. */
export const useSettingsItems = (): ReadonlyArray<SettingsItem> => {
  const t = useMessages("app")
  const registry = useContext(RegistryContext)
  const language = useLanguage()
  const theme = useAtomValue(themeAtom)
  const setTheme = useAtomSet(themeAtom)
  const setLanguage = useAtomSet(languageAtom)
  const call = useApi(SessionClient)
  const { run } = useAction(async () => {
    await call((client) => client.sessions.signOut())
    writeSetting(SIGNED_IN, null)
    registry.set(sessionAtom, undefined)
    location.assign("/")
  })
  const chooseTheme = (next: Theme) => {
    setTheme(next)
    rememberTheme(next)
  }
  return [
    ...(["system", "light", "dark"] as const).map((each) => ({
      id: each,
      label: `${t.theme}: ${t.themes[each]}`,
      checked: theme === each,
      onSelect: () => chooseTheme(each)
    })),
    ...languages.map((each) => ({
      id: `language-${each}`,
      label: languageNames[each],
      lang: each,
      checked: language === each,
      onSelect: () => {
        rememberLanguage(each)
        void loadLanguage(each).then(() => setLanguage(each))
      }
    })),
    { id: "reference", label: t.reference, onSelect: () => window.open("/v1/docs", "_blank", "noopener") },
    { id: "sign-out", label: t.signOut, onSelect: () => void run() }
  ]
}
