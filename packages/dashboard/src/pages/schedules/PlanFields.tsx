import type { CommandType } from "@edp/domain/devices/DeviceType"
import type { Problem } from "../../api/problems.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { Button, IconButton } from "../../kit/Button.tsx"
import { CommandFields } from "../../kit/commands/CommandForm.tsx"
import { modeChoice } from "../../kit/commands/modeForm.ts"
import { DateTimeField } from "../../kit/DateTimeField.tsx"
import { CheckField, FieldGroup } from "../../kit/Field.tsx"
import { newRule, overlapping, type PlanForm, type RuleForm, weekOrder } from "./scheduleForm.ts"
import { useDayNames } from "./Week.tsx"

interface RuleFieldsProps {
  readonly command: CommandType
  readonly rule: RuleForm
  readonly index: number
  /** The index of an earlier rule that holds at the same time. */
  readonly overlap: number | undefined
  readonly problem: Problem | undefined
  readonly onChange: (rule: RuleForm) => void
  readonly onRemove: (() => void) | undefined
}

const RuleFields = ({ command, rule, index, overlap, problem, onChange, onRemove }: RuleFieldsProps) => {
  const t = useMessages("schedules")
  const dayName = useDayNames("short")
  const { days, end, mode, start } = rule
  const refused = problem?.kind === "refused" ? problem.details : {}
  const path = `rules.${index}`
  const toggle = (day: number, isChosen: boolean) => {
    const next = new Set(days)
    if (isChosen) next.add(day)
    else next.delete(day)
    onChange({ ...rule, days: next })
  }
  return (
    <div className="schedules-rule" role="group" aria-label={t.rule({ number: `${index + 1}` })}>
      <div className="schedules-rule-head">
        <h3>{t.rule({ number: `${index + 1}` })}</h3>
        {onRemove && <IconButton icon="trash" label={t.removeRule({ number: `${index + 1}` })} onClick={onRemove} />}
      </div>
      <div className="command-inputs">
        <DateTimeField
          kind="time"
          label={t.begins}
          value={start}
          onChange={(value) => onChange({ ...rule, start: value })}
          problem={refused[`${path}.startTime`] ?? refused[path]}
          invalid={overlap === undefined ? undefined : t.overlaps({ other: `${overlap + 1}` })}
          required
        />
        <DateTimeField
          kind="time"
          label={t.ends}
          hint={t.endsHint}
          value={end}
          onChange={(value) => onChange({ ...rule, end: value })}
          problem={refused[`${path}.endTime`]}
          required
        />
      </div>
      <FieldGroup label={t.days} invalid={days.size === 0 ? t.noDays : undefined}>
        <div className="schedules-days">
          {weekOrder.map((day) => (
            <CheckField
              key={day}
              label={dayName(day)}
              checked={days.has(day)}
              onChange={(isChosen) => toggle(day, isChosen)}
            />
          ))}
        </div>
      </FieldGroup>
      <CommandFields
        command={modeChoice(command, mode)}
        values={mode}
        onChange={(values) => onChange({ ...rule, mode: values })}
        problem={problem}
        path={`${path}.mode`}
      />
    </div>
  )
}

interface PlanFieldsProps {
  readonly command: CommandType
  readonly plan: PlanForm
  readonly onChange: (plan: PlanForm) => void
  readonly problem: Problem | undefined
}

/** The rules of a schedule and the mode outside of them. */
export const PlanFields = ({ command, plan, onChange, problem }: PlanFieldsProps) => {
  const t = useMessages("schedules")
  const { defaultMode, rules } = plan
  const overlaps = overlapping(rules)
  const replace = (changed: RuleForm) =>
    onChange({ ...plan, rules: rules.map((rule) => (rule.key === changed.key ? changed : rule)) })
  const add = () => {
    const key = Math.max(-1, ...rules.map((rule) => rule.key)) + 1
    onChange({ ...plan, rules: [...rules, newRule(key)] })
  }
  return (
    <>
      <div className="stack">
        {rules.map((rule, index) => (
          <RuleFields
            key={rule.key}
            {...{ command, rule, index, problem }}
            overlap={overlaps.get(index)}
            onChange={replace}
            onRemove={
              rules.length > 1
                ? () => onChange({ ...plan, rules: rules.filter(({ key }) => key !== rule.key) })
                : undefined
            }
          />
        ))}
        <div>
          <Button small icon="plus" onClick={add}>
            {t.addRule}
          </Button>
        </div>
      </div>
      <div className="schedules-rule" role="group" aria-label={t.defaultMode}>
        <h3>{t.defaultMode}</h3>
        <p className="muted">{t.defaultHint}</p>
        <CommandFields
          command={modeChoice(command, defaultMode, true)}
          values={defaultMode}
          onChange={(values) => onChange({ ...plan, defaultMode: values })}
          problem={problem}
          path="defaultMode"
        />
      </div>
    </>
  )
}
