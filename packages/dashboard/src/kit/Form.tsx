import { createContext, type FormEvent, type ReactNode, useContext, useEffect, useRef, useState } from "react"
import { formatNumber } from "../i18n/format.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLFieldSetElement

/** Why fields can't be sent, by the ids of their controls. */
type Problems = Readonly<Record<string, string>>

const ProblemsContext = createContext<Problems>({})

/** Why the control with an id can't be sent, once someone has tried to. */
export const useFieldProblem = (id: string): string | undefined => useContext(ProblemsContext)[id]

/** The sentence for what is wrong with a control: what the browser knows, and `data-invalid`, what only the page knows. */
const useExplain = () => {
  const { invalid: t, required } = useMessages("kit")
  const language = useLanguage()
  const bound = (text: string) => formatNumber(language, Number(text), 3)
  return (control: Control): string | undefined => {
    const { dataset, validity } = control
    const isEmpty = "value" in control && control.value.trim() === "" && !validity.badInput
    if (isEmpty && control.required) return required
    if (dataset["invalid"] !== undefined) return dataset["invalid"]
    if (validity.valid) return undefined
    if (control instanceof HTMLInputElement) {
      if (validity.typeMismatch) return control.type === "email" ? t.email : t.url
      if (validity.badInput) return control.type === "number" ? t.number : t.time
      if (validity.rangeUnderflow) return t.least({ least: bound(control.min) })
      if (validity.rangeOverflow) return t.most({ most: bound(control.max) })
      if (validity.tooShort) return t.length({ least: control.minLength })
    }
    return t.form
  }
}

interface FormProps {
  readonly children: ReactNode
  readonly className?: string
  /** Sends the form. It is called when no field has a problem. */
  readonly onSubmit: () => unknown
}

/**
 * A form whose fields say themselves what is wrong with them, in the language of the page and not by the browser's bubble. They say
 * so from the first try to send it on; the first of them gets the focus, also when the service has refused it.
 */
export const Form = ({ children, className = "stack", onSubmit }: FormProps) => {
  const explain = useExplain()
  const frame = useRef<HTMLFormElement>(null)
  const [isChecked, setChecked] = useState(false)
  const [problems, setProblems] = useState<Problems>({})
  const [tries, setTries] = useState(0)
  const controls = () => [...frame.current!.elements] as ReadonlyArray<Element> as ReadonlyArray<Control>
  const check = (): Problems => {
    const found = Object.fromEntries(
      controls().flatMap((control) => {
        const problem = control.id === "" || !("validity" in control) ? undefined : explain(control)
        return problem === undefined ? [] : [[control.id, problem]]
      })
    )
    setProblems((former) => (JSON.stringify(former) === JSON.stringify(found) ? former : found))
    return found
  }
  const submit = async (event: FormEvent) => {
    // A dialog that is opened within this form has a form of its own, whose events pass here, too.
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    const isRefused = Object.keys(check()).length > 0
    setChecked(isRefused)
    if (!isRefused) await onSubmit()
    setTries((former) => former + 1)
  }
  useEffect(() => {
    if (isChecked) check()
  })
  useEffect(() => {
    if (tries === 0) return
    const first = controls().find(({ id }) => id !== "" && document.getElementById(`${id}-problem`) !== null)
    const target =
      first instanceof HTMLFieldSetElement
        ? first.querySelector<HTMLElement>("[role='spinbutton'], input:not([type='hidden']), select")
        : first
    target?.focus()
  }, [tries])
  return (
    <form
      ref={frame}
      className={className}
      noValidate
      onSubmit={(event) => void submit(event)}
      onInput={() => isChecked && check()}
    >
      <ProblemsContext value={problems}>{children}</ProblemsContext>
    </form>
  )
}
