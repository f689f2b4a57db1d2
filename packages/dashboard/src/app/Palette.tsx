import type { SearchResult, SearchResults, SearchType } from "@edp/domain/search/SearchResult"
import { useNavigate } from "@tanstack/react-router"
import { Struct } from "effect"
import { AsyncResult, Atom } from "effect/reactivity"
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useState } from "react"
import { problemFromCause } from "../api/problems.ts"
import { useMessages } from "../i18n/useMessages.ts"
import { Dialog } from "../kit/Dialog.tsx"
import { Icon, type IconName } from "../kit/Icon.tsx"
import { useProblemText } from "../kit/Problem.tsx"
import { searchQuery } from "../resources/search.ts"
import { useAtomValue, useLatest } from "../state/atoms.ts"
import { pageEntries } from "./navigation.ts"
import { useSettingsItems } from "./useSettingsItems.ts"
import "./Palette.css"

/** Milliseconds without a key after which a text is searched. */
const PAUSE = 150

/** Pages and actions that are listed above the records. */
const MOST_OWN = 10

/** The service searches texts of this many characters. */
const [SHORTEST, LONGEST] = [2, 100]

interface Entry {
  readonly id: string
  readonly icon: IconName
  readonly name: string
  readonly detail: string
  readonly kind: string
  readonly lang?: string
  /** Words by which it is found beside its name. */
  readonly words?: string
  /** The palette stays open: something else is asked for. */
  readonly stays?: boolean
  readonly open: () => void
}

const icons = {
  device: "battery",
  site: "home",
  customer: "people",
  account: "plug",
  programInstance: "program"
} as const satisfies Record<SearchType, IconName>

const nothing: SearchResults = { data: [], similar: false }

/** The result without a request. */
const noQuery = Atom.make<AsyncResult.AsyncResult<SearchResults, never>>(AsyncResult.success(nothing))

/** The words of a text without accents. */
const wordsIn = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase().split(/\s+/)

/** Whether each word of a text begins a word of a name. */
const fits = (name: string, text: string) => {
  const words = wordsIn(name)
  return wordsIn(text).every((typed) => words.some((word) => word.startsWith(typed)))
}

type Navigate = ReturnType<typeof useNavigate>

/** The forms for new records, each open at its address. */
const forms = {
  site: (navigate: Navigate) => navigate({ to: "/dashboard/sites", search: { edit: "new" } }),
  customer: (navigate: Navigate) => navigate({ to: "/dashboard/customers", search: { edit: "new" } }),
  connectLink: (navigate: Navigate) => navigate({ to: "/dashboard/connections", search: { edit: "new" } }),
  collection: (navigate: Navigate) => navigate({ to: "/dashboard/collections", search: { edit: "new" } }),
  schedule: (navigate: Navigate) => navigate({ to: "/dashboard/schedules", search: { edit: "new" } }),
  dispatch: (navigate: Navigate) => navigate({ to: "/dashboard/dispatches", search: { edit: "new" } }),
  program: (navigate: Navigate) => navigate({ to: "/dashboard/programs", search: { edit: "program" } }),
  instance: (navigate: Navigate) => navigate({ to: "/dashboard/programs", search: { edit: "new" } }),
  gridConnection: (navigate: Navigate) => navigate({ to: "/dashboard/grid-connections", search: { edit: "new" } }),
  destination: (navigate: Navigate) => navigate({ to: "/dashboard/destinations", search: { edit: "new" } }),
  key: (navigate: Navigate) => navigate({ to: "/dashboard/keys", search: { edit: "new" } })
}

/** Pages and actions, which are found without a request. */
const useOwnEntries = (onShortcuts: () => void, onCommand: () => void): ReadonlyArray<Entry> => {
  const t = useMessages("palette")
  const app = useMessages("app")
  const navigate = useNavigate()
  const settings = useSettingsItems()
  const pages = pageEntries.map(({ icon, letter, name, to }): Entry => ({
    id: to,
    icon,
    name: app[name] as string,
    detail: `g ${letter}`,
    kind: t.page,
    open: () => void navigate({ to })
  }))
  const action = (entry: Pick<Entry, "id" | "name" | "open" | "lang" | "words" | "stays">): Entry => ({
    icon: "right",
    detail: "",
    kind: t.action,
    ...entry
  })
  return [
    ...pages,
    action({ id: "command", name: t.sendCommand, stays: true, open: onCommand }),
    ...Struct.keys(forms).map((id) =>
      action({
        id: `new-${id}`,
        name: t.forms[id],
        words: t.formWords,
        open: () => void forms[id](navigate)
      })
    ),
    action({ id: "shortcuts", name: t.keys, open: onShortcuts }),
    ...settings.map(({ id, label, lang, onSelect }) =>
      action({ id, name: label, open: onSelect, ...(lang !== undefined && { lang }) })
    )
  ]
}

const useRecordEntry = (isCommanded: boolean) => {
  const t = useMessages("palette")
  const navigate = useNavigate()
  const open = ({ id, type }: SearchResult) => {
    switch (type) {
      case "device":
        return navigate({
          to: "/dashboard/devices/$id",
          params: { id },
          ...(isCommanded && { search: { tab: "commands" } })
        })
      case "site":
        return navigate({ to: "/dashboard/sites/$id", params: { id } })
      case "customer":
        return navigate({ to: "/dashboard/customers/$id", params: { id } })
      case "account":
        return navigate({ to: "/dashboard/connections", search: { account: id } })
      case "programInstance":
        return navigate({ to: "/dashboard/programs/$id", params: { id } })
    }
  }
  return (result: SearchResult): Entry => ({
    id: result.id,
    icon: icons[result.type],
    name: result.name,
    detail: result.detail,
    kind: t.types[result.type],
    open: () => void open(result)
  })
}

interface PaletteProps {
  readonly onClose: () => void
  readonly onShortcuts: () => void
}

const Content = ({ onClose, onShortcuts }: PaletteProps) => {
  const t = useMessages("palette")
  const explain = useProblemText()
  const listId = useId()
  const [typed, setTyped] = useState("")
  const [searched, setSearched] = useState("")
  const [active, setActive] = useState(0)
  // The device that is chosen next gets a command.
  const [isCommanded, setCommanded] = useState(false)
  // Enter was pressed before the results were there.
  const [isHasty, setHasty] = useState(false)
  const text = typed.trim()
  useEffect(() => {
    const timer = setTimeout(() => setSearched(text), PAUSE)
    return () => clearTimeout(timer)
  }, [text])
  const isSearched = searched.length >= SHORTEST
  const result = useAtomValue<AsyncResult.AsyncResult<SearchResults, unknown>>(
    isSearched ? searchQuery(searched) : noQuery
  )
  const latest = useLatest(result)
  const found = isSearched && latest !== undefined ? latest : nothing
  const isCurrent = text === searched && result._tag !== "Initial"

  const own = useOwnEntries(onShortcuts, () => {
    setCommanded(true)
    setTyped("")
    setActive(0)
  })
  const toEntry = useRecordEntry(isCommanded)
  const records = isCommanded ? found.data.filter(({ type }) => type === "device") : found.data
  const isOwnShown = ({ name, words = "" }: Entry) => !isCommanded && (text === "" || fits(`${name} ${words}`, text))
  const entries = [
    ...own.filter(isOwnShown).slice(0, text === "" ? own.length : MOST_OWN),
    ...(text.length < SHORTEST ? [] : records.map(toEntry))
  ]
  const chosen = Math.min(active, entries.length - 1)
  const choose = (entry: Entry | undefined) => {
    setHasty(false)
    if (entry === undefined) return
    if (!entry.stays) onClose()
    entry.open()
  }
  const chooseNow = useEffectEvent(() => choose(entries[chosen]))
  useEffect(() => {
    if (isHasty && isCurrent) chooseNow()
  }, [isHasty, isCurrent])
  const activeId = `${listId}-${chosen}`
  useEffect(() => {
    // Newer browsers return a promise, which is no clean-up.
    document.getElementById(activeId)?.scrollIntoView({ block: "nearest" })
  }, [activeId])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined) {
      event.preventDefault()
      // Beyond the last one is the first.
      setActive((chosen + step + entries.length) % Math.max(entries.length, 1))
    } else if (event.key === "Enter") {
      event.preventDefault()
      setSearched(text)
      setHasty(true)
    }
  }

  const status = () => {
    if (text.length < SHORTEST) return text !== "" ? "" : isCommanded ? t.commandHint : t.hint
    if (result._tag === "Failure") return explain(problemFromCause(result.cause))
    if (!isCurrent) return t.searching
    if (entries.length === 0) return t.nothing({ text })
    return found.similar ? t.similar({ text }) : t.count({ count: entries.length })
  }
  return (
    <div className="palette">
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        type="text"
        role="combobox"
        aria-label={t.label}
        aria-expanded={entries.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={entries.length > 0 ? activeId : undefined}
        autoComplete="off"
        spellCheck={false}
        maxLength={LONGEST}
        placeholder={isCommanded ? t.devicePlaceholder : t.placeholder}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setActive(0)
          setHasty(false)
        }}
        onKeyDown={onKeyDown}
      />
      <div className="palette-status muted" role="status">
        {status()}
      </div>
      <ul id={listId} role="listbox" aria-label={t.results} className="palette-list">
        {entries.map((entry, index) => (
          // The input keeps the focus and has the keys of the list.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={entry.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className="palette-entry"
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(entry)}
          >
            <Icon name={entry.icon} />
            <span className="palette-name" lang={entry.lang}>
              {entry.name}
            </span>
            <span className="palette-kind muted">{entry.kind}</span>
            {entry.detail !== "" && <span className="palette-detail muted">{entry.detail}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Finds records, pages and actions by a part of what they are called. */
export const Palette = ({ open, ...props }: PaletteProps & { readonly open: boolean }) => {
  const t = useMessages("palette")
  return (
    <Dialog open={open} onClose={props.onClose} title={t.title}>
      <Content {...props} />
    </Dialog>
  )
}
