import { isEmpty } from "@edp/domain/collections/criteria"
import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { Fragment, type ReactNode } from "react"
import { useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { FieldGroup, SelectField, TextAreaField, TextField } from "../../kit/Field.tsx"
import { useCriteriaText } from "../../kit/useCriteriaText.ts"
import { manufacturersQuery } from "../../resources/manufacturers.ts"
import { currentValue, useAtomValue } from "../../state/atoms.ts"
import {
  type ConditionAttribute,
  conditionAttributes,
  type ConditionForm,
  type ConditionGroup,
  type ConditionRow,
  isGroup,
  isRowValid,
  type Match,
  readCriteria
} from "./condition.ts"

const attributes = Object.keys(conditionAttributes) as ReadonlyArray<ConditionAttribute>

interface RowProps {
  readonly row: ConditionRow
  readonly onChange: (row: ConditionRow) => void
  readonly onRemove: () => void
}

const Row = ({ row, onChange, onRemove }: RowProps) => {
  const t = useMessages("programs")
  const { types } = useMessages("devices")
  const manufacturers = currentValue(useAtomValue(manufacturersQuery))?.data ?? []
  const { kind } = conditionAttributes[row.attribute]
  const options = {
    type: deviceTypes.map((value) => ({ value: String(value), label: types[value] })),
    manufacturer: manufacturers.map(({ name, slug }) => ({ value: slug, label: name }))
  }
  const value = { value: row.value, onChange: (next: string) => onChange({ ...row, value: next }), required: true }
  return (
    <div className="condition-row">
      <SelectField
        label={t.attribute}
        hideLabel
        value={row.attribute}
        options={attributes.map((each) => ({ value: each, label: t.attributes[each] }))}
        onChange={(attribute) => onChange({ attribute, value: "" })}
      />
      {kind === "type" || kind === "manufacturer" ? (
        <SelectField
          label={t.conditionValue}
          hideLabel
          {...value}
          options={[{ value: "", label: t.choose }, ...options[kind]]}
        />
      ) : (
        <TextField
          label={t.conditionValue}
          hideLabel
          {...value}
          inputMode={kind === "number" ? "decimal" : "text"}
          invalid={isRowValid(row) ? undefined : t.positive}
        />
      )}
      <Button small tone="quiet" onClick={onRemove}>
        {t.removeRule}
      </Button>
    </div>
  )
}

interface RowsProps<Part extends ConditionRow | ConditionGroup> {
  readonly match: Match
  readonly rows: ReadonlyArray<Part>
  readonly onChange: (changed: { readonly match?: Match; readonly rows?: ReadonlyArray<Part> }) => void
  /** Buttons beside that for another rule. */
  readonly more?: ReactNode
  readonly part: (row: Part, onChange: (row: Part) => void, onRemove: () => void, number: string) => ReactNode
}

const Rows = <Part extends ConditionRow | ConditionGroup>({ match, rows, onChange, more, part }: RowsProps<Part>) => {
  const t = useMessages("programs")
  return (
    <>
      {rows.length > 1 && (
        <SelectField
          label={t.match}
          hideLabel
          value={match}
          options={[
            { value: "all", label: t.matches.all },
            { value: "any", label: t.matches.any }
          ]}
          onChange={(next) => onChange({ match: next })}
        />
      )}
      {rows.map((row, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows have no id, and keep their order
        <Fragment key={index}>
          {part(
            row,
            (next) => onChange({ rows: rows.with(index, next) }),
            () => onChange({ rows: rows.toSpliced(index, 1) }),
            `${index + 1}`
          )}
        </Fragment>
      ))}
      <div className="actions">
        <Button small icon="plus" onClick={() => onChange({ rows: [...rows, newRow as Part] })}>
          {t.addRule}
        </Button>
        {more}
      </div>
    </>
  )
}

const newRow: ConditionRow = { attribute: "type", value: "" }

interface FieldsProps {
  readonly form: ConditionForm
  readonly onChange: (form: ConditionForm) => void
}

const Fields = ({ form, onChange }: FieldsProps) => {
  const t = useMessages("programs")
  return (
    <Rows
      {...form}
      onChange={(changed) => onChange({ ...form, ...changed })}
      more={
        <Button
          small
          icon="plus"
          onClick={() => onChange({ ...form, rows: [...form.rows, { match: "any", rows: [newRow, newRow] }] })}
        >
          {t.addGroup}
        </Button>
      }
      part={(row, change, remove, number) =>
        isGroup(row) ? (
          <div className="condition-group" role="group" aria-label={t.group({ number })}>
            <Rows
              {...row}
              onChange={(changed) => change({ ...row, ...changed })}
              more={
                <Button small tone="quiet" onClick={remove}>
                  {t.removeGroup}
                </Button>
              }
              part={(each, changeRow, removeRow) => <Row row={each} onChange={changeRow} onRemove={removeRow} />}
            />
          </div>
        ) : (
          <Row row={row} onChange={change} onRemove={remove} />
        )
      }
    />
  )
}

interface JsonProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

const JsonCondition = ({ text, onChange }: JsonProps) => {
  const t = useMessages("programs")
  const criteriaText = useCriteriaText()
  const criteria = readCriteria(text)
  return (
    <>
      {criteria !== undefined && !isEmpty(criteria) && (
        <p>
          {t.deepCondition} {criteriaText(criteria)}
        </p>
      )}
      <details>
        <summary>{t.asJson}</summary>
        <TextAreaField
          label={t.json}
          value={text}
          onChange={onChange}
          invalid={criteria === undefined ? t.notJson : undefined}
          rows={12}
          spellCheck={false}
        />
      </details>
    </>
  )
}

/** A condition as it is edited: by fields, or as JSON where fields can't make it. */
export type ConditionDraft = ConditionForm | string

interface ConditionProps {
  readonly draft: ConditionDraft
  readonly onChange: (draft: ConditionDraft) => void
}

/** The condition that a device of a site must meet, a rule a line. */
export const ConditionFields = ({ draft, onChange }: ConditionProps) => {
  const t = useMessages("programs")
  return (
    <FieldGroup label={t.eligibility}>
      <p className="muted">{t.eligibilityHint}</p>
      {typeof draft === "string" ? (
        <JsonCondition text={draft} onChange={onChange} />
      ) : (
        <Fields form={draft} onChange={onChange} />
      )}
    </FieldGroup>
  )
}
