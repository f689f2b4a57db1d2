import { type DispatchedType, dispatchedTypes } from "@edp/domain/dispatches/Dispatch"
import type { Problem } from "../../../api/problems.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { CommandFields } from "../../../kit/commands/CommandForm.tsx"
import { modeChoice } from "../../../kit/commands/modeForm.ts"
import { SelectField, TextField } from "../../../kit/Field.tsx"
import { type ActionForm, commandOfType, powerProblem, type RuleForm } from "./ruleForm.ts"

interface ActionProps {
  readonly type: DispatchedType
  readonly action: ActionForm
  readonly onChange: (action: ActionForm) => void
  readonly problem: Problem | undefined
  readonly path: string
}

const Action = ({ type, action, onChange, problem, path }: ActionProps) => {
  const t = useMessages("grid")
  const { how, mode, power } = action
  const refused = problem?.kind === "refused" ? problem.details : {}
  const wrong = powerProblem(type, power)
  const hows = type === "thermostat" ? (["", "mode"] as const) : (["", "mode", "power"] as const)
  return (
    <>
      <SelectField<ActionForm["how"]>
        label={t.devices[type]}
        value={how}
        problem={refused[path]}
        options={hows.map((value) => ({ value, label: t.hows[value === "" ? "none" : value] }))}
        onChange={(next) => onChange({ ...action, how: next })}
      />
      {how === "mode" && (
        <div className="grid-action">
          <CommandFields
            command={modeChoice(commandOfType(type), mode)}
            values={mode}
            onChange={(values) => onChange({ ...action, mode: values })}
            problem={problem}
            path={path}
          />
        </div>
      )}
      {how === "power" && (
        <div className="grid-action">
          <TextField
            label={t.power}
            hint={type === "battery" ? t.batteryPowerHint : t.powerHint}
            inputMode="decimal"
            value={power}
            onChange={(next) => onChange({ ...action, power: next })}
            problem={refused[`${path}.targetPowerW`]}
            invalid={wrong === undefined ? undefined : t.problems[wrong]}
            required
          />
        </div>
      )}
    </>
  )
}

interface ActionFieldsProps extends Pick<ActionProps, "problem" | "path"> {
  readonly actions: RuleForm["actions"]
  readonly onChange: (actions: RuleForm["actions"]) => void
}

/** The fields for what the devices of each type do. */
export const ActionFields = ({ actions, onChange, problem, path }: ActionFieldsProps) =>
  dispatchedTypes.map((type) => (
    <Action
      key={type}
      type={type}
      action={actions[type]}
      onChange={(action) => onChange({ ...actions, [type]: action })}
      problem={problem}
      path={`${path}.${type}`}
    />
  ))
