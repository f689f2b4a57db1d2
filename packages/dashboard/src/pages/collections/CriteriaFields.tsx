import { attributeNames, type CollectionType, findAttribute } from "@edp/domain/collections/criteria"
import { useId } from "react"
import { useMessages } from "../../i18n/useMessages.ts"
import { Button, IconButton } from "../../kit/Button.tsx"
import { SelectField, TextField } from "../../kit/Field.tsx"
import {
  criteriaFromForm,
  type CriteriaForm,
  invalidField,
  newRule,
  operatorsFor,
  type RuleForm
} from "./collectionForm.ts"

interface RuleFieldsProps {
  readonly type: CollectionType
  readonly rule: RuleForm
  readonly number: string
  /** The field that the service would refuse. */
  readonly wrong: "attribute" | "operator" | "value" | undefined
  readonly onChange: (rule: RuleForm) => void
  readonly onRemove: () => void
}

const RuleFields = ({ type, rule, number, wrong, onChange, onRemove }: RuleFieldsProps) => {
  const t = useMessages("collections")
  const names = useId()
  const { attribute, operator, value } = rule
  const known = findAttribute(type, attribute.trim())
  const operators = operatorsFor(type, attribute)
  const isList = operator === "in" || operator === "nin"
  const reason = (field: typeof wrong) => (wrong === field && wrong !== undefined ? t.invalid[wrong] : undefined)
  const change = (changed: Partial<RuleForm>) => {
    const next = { ...rule, ...changed }
    const allowed = operatorsFor(type, next.attribute)
    onChange(allowed.includes(next.operator) ? next : { ...next, operator: allowed[0]! })
  }
  const onValue = (next: string) => change({ value: next })
  return (
    <div className="collections-rule" role="group" aria-label={t.rule({ number })}>
      <TextField
        label={t.attribute}
        value={attribute}
        onChange={(next) => change({ attribute: next })}
        invalid={reason("attribute")}
        list={names}
        required
      />
      <datalist id={names}>
        {attributeNames(type)
          .filter((name) => !name.endsWith("*"))
          .map((name) => (
            <option key={name} value={name} />
          ))}
      </datalist>
      <SelectField
        label={t.operator}
        value={operator}
        options={operators.map((each) => ({ value: each, label: t.operators[each] }))}
        onChange={(next) => change({ operator: next, ...(next === "exists" && { value: "true" }) })}
        invalid={reason("operator")}
      />
      {operator === "exists" ? (
        <SelectField
          label={t.value}
          value={value === "false" ? "false" : "true"}
          options={[
            { value: "true", label: t.yes },
            { value: "false", label: t.no }
          ]}
          onChange={onValue}
        />
      ) : known?.words !== undefined && (operator === "eq" || operator === "ne") ? (
        <SelectField
          label={t.value}
          value={value}
          options={["", ...known.words].map((word) => ({ value: word, label: word }))}
          onChange={onValue}
          invalid={reason("value")}
          required
        />
      ) : (
        <TextField
          label={t.value}
          {...(isList && { hint: t.listHint })}
          value={value}
          onChange={onValue}
          invalid={reason("value")}
          required
        />
      )}
      <IconButton icon="trash" label={t.removeRule({ number })} onClick={onRemove} />
    </div>
  )
}

interface CriteriaFieldsProps {
  readonly type: CollectionType
  readonly form: CriteriaForm
  readonly onChange: (form: CriteriaForm) => void
}

/** Rules of one level, of which a member meets all or at least one. */
export const CriteriaFields = ({ type, form, onChange }: CriteriaFieldsProps) => {
  const t = useMessages("collections")
  const { match, rules } = form
  const wrong = invalidField(type, criteriaFromForm(type, form))
  return (
    <fieldset className="stack">
      <legend>{t.criteria}</legend>
      {rules.length === 0 && <p className="muted">{t.everything}</p>}
      {rules.length > 1 && (
        <SelectField
          label={t.match}
          value={match}
          options={(["all", "any"] as const).map((value) => ({ value, label: t.matches[value] }))}
          onChange={(next) => onChange({ ...form, match: next })}
        />
      )}
      {rules.map((rule, index) => (
        <RuleFields
          key={rule.key}
          type={type}
          rule={rule}
          number={`${index + 1}`}
          wrong={wrong?.rule === index ? wrong.field : undefined}
          onChange={(changed) => onChange({ ...form, rules: rules.map((each) => (each === rule ? changed : each)) })}
          onRemove={() => onChange({ ...form, rules: rules.filter((each) => each !== rule) })}
        />
      ))}
      {type === "DEVICE" && rules.length > 0 && <p className="muted">{t.attributeHint}</p>}
      <div>
        <Button
          small
          icon="plus"
          onClick={() =>
            onChange({ ...form, rules: [...rules, newRule(Math.max(-1, ...rules.map(({ key }) => key)) + 1, type)] })
          }
        >
          {t.addRule}
        </Button>
      </div>
    </fieldset>
  )
}
