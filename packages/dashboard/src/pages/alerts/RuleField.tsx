import { useState } from "react"
import { useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { CheckField, FieldGroup, type Option, SelectField, TextField } from "../../kit/Field.tsx"

export type Rule = { readonly mode: "SHOW" | "HIDE"; readonly values: ReadonlyArray<string> } | null

/** A rule whose values are not chosen yet. */
export const isIncomplete = (rule: Rule) => rule !== null && rule.values.length === 0

interface RuleFieldProps {
  readonly name: string
  readonly rule: Rule
  readonly options: ReadonlyArray<Option<string>>
  /** Says what the rule hides. */
  readonly note: string | undefined
  readonly extra?: string | undefined
  /** Values beyond the options may be typed. */
  readonly takesMore?: boolean
  readonly onChange: (rule: Rule) => void
}

const NewValue = ({ onAdd }: { readonly onAdd: (value: string) => void }) => {
  const t = useMessages("alerts")
  const [text, setText] = useState("")
  const add = () => {
    if (text.trim() === "") return
    onAdd(text.trim())
    setText("")
  }
  return (
    <div className="filters">
      <TextField
        label={t.newSource}
        value={text}
        onChange={setText}
        maxLength={255}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return
          event.preventDefault()
          add()
        }}
      />
      <Button onClick={add}>{t.add}</Button>
    </div>
  )
}

/** A rule that shows or hides alerts of chosen values. */
export const RuleField = (props: RuleFieldProps) => {
  const { name, rule, options, note, extra, takesMore = false, onChange } = props
  const t = useMessages("alerts")
  const values = rule?.values ?? []
  const toggle = (value: string, isChosen: boolean) => {
    if (rule === null) return
    onChange({ ...rule, values: isChosen ? [...values, value] : values.filter((each) => each !== value) })
  }
  return (
    <FieldGroup label={name} invalid={isIncomplete(rule) ? t.chooseOne : undefined}>
      <SelectField
        label={t.mode({ rule: name })}
        hideLabel
        value={rule?.mode ?? "none"}
        options={(["none", "SHOW", "HIDE"] as const).map((value) => ({ value, label: t.modes[value] }))}
        onChange={(mode) => onChange(mode === "none" ? null : { mode, values })}
      />
      {rule !== null && (
        <>
          <div className="alerts-values">
            {options.map(({ value, label }) => (
              <CheckField
                key={value}
                label={label}
                checked={values.includes(value)}
                onChange={(isChosen) => toggle(value, isChosen)}
              />
            ))}
          </div>
          {takesMore && <NewValue onAdd={(value) => !values.includes(value) && toggle(value, true)} />}
          {extra !== undefined && <p className="hint">{extra}</p>}
          {note !== undefined && <p role="status">{note}</p>}
        </>
      )}
    </FieldGroup>
  )
}
