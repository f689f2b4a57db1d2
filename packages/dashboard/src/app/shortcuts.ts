import { useEffect, useEffectEvent, useRef } from "react"
import { Atom } from "effect/reactivity"
import { readSetting, writeSetting } from "../state/settings.ts"
import { isDialogOpen, isTyping } from "../kit/keys.ts"
import { pageEntries } from "./navigation.ts"

const SETTING = "single-keys"

/** Whether single keys are shortcuts. Who speaks to the computer, or presses keys by mistake, turns them off. */
export const singleKeysAtom = Atom.keepAlive(Atom.make(readSetting(SETTING) !== "off"))

export const rememberSingleKeys = (isOn: boolean) => writeSetting(SETTING, isOn ? null : "off")

/** Milliseconds in which the second key of a sequence follows the first one. */
const SEQUENCE = 1500

/** On a Mac the command key is what the control key is elsewhere. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

interface Shortcuts {
  readonly singleKeys: boolean
  readonly onSearch: () => void
  readonly onHelp: () => void
  readonly onPage: (to: string) => void
}

/** Calls a function for each shortcut that is pressed anywhere on the page. */
export const useShortcuts = ({ onHelp, onPage, onSearch, singleKeys }: Shortcuts) => {
  const goAt = useRef(Number.NEGATIVE_INFINITY)
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.repeat || isDialogOpen()) return
    const act = (run: () => void) => {
      event.preventDefault()
      run()
    }
    if (
      (isMac ? event.metaKey : event.ctrlKey) &&
      !event.altKey &&
      !event.shiftKey &&
      event.key.toLowerCase() === "k"
    ) {
      return act(onSearch)
    }
    if (!singleKeys || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const isSecond = event.timeStamp - goAt.current < SEQUENCE
    goAt.current = Number.NEGATIVE_INFINITY
    if (event.key === "/") return act(onSearch)
    if (event.key === "?") return act(onHelp)
    if (isSecond) {
      const page = pageEntries.find(({ letter }) => letter === event.key)
      if (page !== undefined) return act(() => onPage(page.to))
    }
    if (event.key === "g") goAt.current = event.timeStamp
  })
  useEffect(() => {
    document.addEventListener("keydown", press)
    return () => document.removeEventListener("keydown", press)
  }, [])
}
