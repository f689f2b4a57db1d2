import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { FieldGroup, SelectField, TextField } from "../../kit/Field.tsx"
import { manufacturersQuery } from "../../resources/manufacturers.ts"
import { currentValue, useAtomValue } from "../../state/atoms.ts"
import {
  type ConditionAttribute,
  conditionAttributes,
  type ConditionForm,
  type ConditionRow,
  isRowValid
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

interface ConditionProps {
  readonly form: ConditionForm
  readonly onChange: (form: ConditionForm) => void
}

/** The condition that a device of a site must meet, a rule a line. */
export const ConditionFields = ({ form, onChange }: ConditionProps) => {
  const t = useMessages("programs")
  const { match, rows } = form
  return (
    <FieldGroup label={t.eligibility}>
      <p className="muted">{t.eligibilityHint}</p>
      {rows.length > 1 && (
        <SelectField
          label={t.match}
          hideLabel
          value={match}
          options={[
            { value: "all", label: t.matches.all },
            { value: "any", label: t.matches.any }
          ]}
          onChange={(next) => onChange({ ...form, match: next })}
        />
      )}
      {rows.map((row, index) => (
        <Row
          // oxlint-disable-next-line react/no-array-index-key -- rows have no id, and keep their order
          key={index}
          row={row}
          onChange={(next) => onChange({ ...form, rows: rows.with(index, next) })}
          onRemove={() => onChange({ ...form, rows: rows.toSpliced(index, 1) })}
        />
      ))}
      <div className="actions">
        <Button
          small
          icon="plus"
          onClick={() => onChange({ ...form, rows: [...rows, { attribute: "type", value: "" }] })}
        >
          {t.addRule}
        </Button>
      </div>
    </FieldGroup>
  )
}
