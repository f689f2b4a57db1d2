import type { Atom, AsyncResult } from "effect/reactivity"
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from "react"
import { problemFromCause } from "../api/problems.ts"
import { useMessages } from "../i18n/useMessages.ts"
import { useAtomValue, useLatest } from "../state/atoms.ts"
import { Field } from "./Field.tsx"
import { useProblemText } from "./Problem.tsx"
import "./RecordPicker.css"

export interface PickerOption {
  readonly id: string
  readonly label: string
  /** Tells apart what has the same name, such as an address. */
  readonly note?: string
}

export interface RecordPickerProps<A, E> {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly hideLabel?: boolean
  readonly required?: boolean
  /** The name of what is chosen; shown until the person types. */
  readonly chosen: string
  /** The records whose names begin with a text; all of them for an empty text. */
  readonly search: (text: string) => Atom.Atom<AsyncResult.AsyncResult<A, E>>
  readonly options: (response: A) => { readonly options: ReadonlyArray<PickerOption>; readonly isAll: boolean }
  readonly onChoose: (option: PickerOption) => void
  /** An option before all others, such as that for no record. */
  readonly first?: PickerOption
}

interface ListProps<A, E> extends Pick<RecordPickerProps<A, E>, "search" | "options" | "onChoose" | "first"> {
  readonly id: string
  readonly text: string
  readonly active: number
  readonly onOptions: (options: ReadonlyArray<PickerOption>) => void
}

const List = <A, E>({ id, text, active, search, options, onChoose, first, onOptions }: ListProps<A, E>) => {
  const t = useMessages("recordPicker")
  const kit = useMessages("kit")
  const explain = useProblemText()
  const result = useAtomValue(search(text))
  const response = useLatest(result)
  const found = response === undefined ? undefined : options(response)
  const shown = [...(first !== undefined && text === "" ? [first] : []), ...(found?.options ?? [])]
  const ids = shown.map((option) => option.id).join()
  useEffect(() => onOptions(shown), [ids])
  return (
    <div className="picker-list">
      <ul id={id} role="listbox">
        {shown.map((option, index) => (
          // The input keeps the focus and has the keys of the list.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={option.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            className="picker-option"
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(option)}
          >
            {option.label}
            {option.note !== undefined && <span className="muted"> {option.note}</span>}
          </li>
        ))}
      </ul>
      <div className="picker-note muted" role="status">
        {result._tag === "Failure"
          ? explain(problemFromCause(result.cause))
          : found === undefined
            ? kit.loading
            : shown.length === 0
              ? t.nothing
              : !found.isAll && t.more}
      </div>
    </div>
  )
}

/** Milliseconds without a key after which a text is searched. */
const PAUSE = 200

/** Chooses one of many records by the beginning of its name. */
export const RecordPicker = <A, E>(props: RecordPickerProps<A, E>) => {
  const { label, hint, hideLabel = false, required = false, chosen, onChoose } = props
  const listId = useId()
  const [typed, setTyped] = useState<string>()
  const [searched, setSearched] = useState("")
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const [shown, setShown] = useState<ReadonlyArray<PickerOption>>([])
  useEffect(() => {
    const timer = setTimeout(() => setSearched(typed?.trim() ?? ""), PAUSE)
    return () => clearTimeout(timer)
  }, [typed])
  const close = () => {
    setOpen(false)
    setTyped(undefined)
    setActive(0)
  }
  const choose = (option: PickerOption) => {
    close()
    onChoose(option)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isOpen) {
      // Within a dialog the first Escape closes the list.
      event.stopPropagation()
      return close()
    }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault()
      if (!isOpen) return setOpen(true)
      const step = event.key === "ArrowDown" ? 1 : -1
      return setActive(Math.max(0, Math.min(shown.length - 1, active + step)))
    }
    if (event.key !== "Enter" || !isOpen) return
    event.preventDefault()
    const option = shown[active]
    if (option !== undefined) choose(option)
  }
  return (
    <div className="picker">
      <Field label={label} hint={hint} hideLabel={hideLabel} required={required}>
        {(ids) => (
          <input
            {...ids}
            type="text"
            role="combobox"
            autoComplete="off"
            aria-expanded={isOpen}
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && shown.length > 0 ? `${listId}-${active}` : undefined}
            value={typed ?? chosen}
            onFocus={(event) => event.currentTarget.select()}
            onClick={() => setOpen(true)}
            onBlur={close}
            onKeyDown={onKeyDown}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setActive(0)
              setOpen(true)
            }}
          />
        )}
      </Field>
      {isOpen && (
        <List
          {...props}
          id={listId}
          text={searched}
          active={active}
          onChoose={choose}
          onOptions={(options) => {
            setShown(options)
            setActive(0)
          }}
        />
      )}
    </div>
  )
}
