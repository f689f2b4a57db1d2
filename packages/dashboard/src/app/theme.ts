import { Atom } from "effect/reactivity"
import { readSetting, writeSetting } from "../state/settings.ts"

export type Theme = "system" | "light" | "dark"

const stored = readSetting("theme")

/** The colours of the page: as the device has them, light or dark. */
export const themeAtom = Atom.keepAlive(Atom.make<Theme>(stored === "light" || stored === "dark" ? stored : "system"))

export const showTheme = (theme: Theme) => {
  if (theme === "system") delete document.documentElement.dataset["scheme"]
  else document.documentElement.dataset["scheme"] = theme
}

export const rememberTheme = (theme: Theme) => {
  writeSetting("theme", theme === "system" ? null : theme)
  showTheme(theme)
}
