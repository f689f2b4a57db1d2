import type { Problem } from "../../../api/problems.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { Button, IconButton } from "../../../kit/Button.tsx"
import { FieldGroup, SelectField, TextField } from "../../../kit/Field.tsx"
import { ActionFields } from "./ActionFields.tsx"
import { effectsFor, type RuleForm, ruleProblems, sharingFor, withPayloadType } from "./ruleForm.ts"

interface RuleFieldsProps {
  readonly rule: RuleForm
  readonly index: number
  /** The id of the list of known types of payloads. */
  readonly types: string
  readonly problem: Problem | undefined
  readonly onChange: (rule: RuleForm) => void
  readonly onRemove: () => void
  /** Absent for the first rule. */
  readonly onRaise: (() => void) | undefined
}

/** The fields of one rule: when it counts, and what devices do then. */
export const RuleFields = ({ rule, index, types, problem, onChange, onRemove, onRaise }: RuleFieldsProps) => {
  const t = useMessages("grid")
  const refused = problem?.kind === "refused" ? problem.details : {}
  const path = `rules.${index}`
  const number = `${index + 1}`
  const problems = ruleProblems(rule)
  const effects = effectsFor(rule.payloadType.trim())
  const text = (key: "number" | "belowFrom" | "noAction" | undefined) =>
    key === undefined ? undefined : t.problems[key]
  return (
    <div className="grid-rule" role="group" aria-label={t.rule({ number })}>
      <div className="grid-rule-head">
        <h3>{t.rule({ number })}</h3>
        <span className="actions">
          {onRaise && (
            <Button small tone="quiet" aria-label={t.raiseRule({ number })} onClick={onRaise}>
              {t.raise}
            </Button>
          )}
          <IconButton icon="trash" label={t.removeRule({ number })} onClick={onRemove} />
        </span>
      </div>
      <TextField
        label={t.payload}
        hint={t.payloadHint}
        value={rule.payloadType}
        onChange={(payloadType) => onChange(withPayloadType(rule, payloadType))}
        problem={refused[`${path}.payloadType`] ?? refused[path]}
        list={types}
        required
        maxLength={128}
      />
      <div className="command-inputs">
        <TextField
          label={t.minimum}
          hint={t.minimumHint}
          inputMode="decimal"
          value={rule.minimum}
          onChange={(minimum) => onChange({ ...rule, minimum })}
          problem={refused[`${path}.minimum`]}
          invalid={text(problems.minimum)}
        />
        <TextField
          label={t.maximum}
          hint={t.maximumHint}
          inputMode="decimal"
          value={rule.maximum}
          onChange={(maximum) => onChange({ ...rule, maximum })}
          problem={refused[`${path}.maximum`]}
          invalid={text(problems.maximum)}
        />
      </div>
      {effects.length > 1 && (
        <SelectField
          label={t.effect}
          value={rule.effect}
          options={effects.map((value) => ({ value, label: t.effects[value] }))}
          onChange={(effect) => onChange({ ...rule, effect })}
        />
      )}
      {rule.effect === "share" && (
        <SelectField
          label={t.shareBy}
          hint={t.shareHint}
          value={rule.share}
          problem={refused[`${path}.share`]}
          options={sharingFor(rule.payloadType.trim()).map((value) => ({ value, label: t.devices[value] }))}
          onChange={(share) => onChange({ ...rule, share })}
        />
      )}
      {rule.effect === "chargeState" && (
        <SelectField
          label={t.chargeState}
          value={rule.chargeState}
          problem={refused[`${path}.chargeState`]}
          options={(["charge", "discharge"] as const).map((value) => ({ value, label: t.chargeEffects[value] }))}
          onChange={(chargeState) => onChange({ ...rule, chargeState })}
        />
      )}
      {rule.effect === "actions" && (
        <FieldGroup label={t.actions} problem={refused[`${path}.actions`]} invalid={text(problems.actions)}>
          <ActionFields
            actions={rule.actions}
            onChange={(actions) => onChange({ ...rule, actions })}
            problem={problem}
            path={`${path}.actions`}
          />
        </FieldGroup>
      )}
    </div>
  )
}
