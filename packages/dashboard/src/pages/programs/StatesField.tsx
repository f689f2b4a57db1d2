import { stateNames } from "@edp/domain/shared/unitedStates"
import { useMessages } from "../../i18n/useMessages.ts"
import { CheckField, FieldGroup } from "../../kit/Field.tsx"

interface Props {
  readonly chosen: ReadonlyArray<string>
  readonly onChange: (chosen: ReadonlyArray<string>) => void
  readonly problem: string | undefined
}

/** The states whose residents a program takes, by their names. */
export const StatesField = ({ chosen, onChange, problem }: Props) => {
  const t = useMessages("programs")
  const names = chosen.map((code) => stateNames[code] ?? code)
  return (
    <FieldGroup label={t.states} problem={problem}>
      <details>
        <summary>{names.length === 0 ? t.everyState : names.join(", ")}</summary>
        <p className="muted">{t.statesHint}</p>
        <div className="program-states">
          {Object.entries(stateNames).map(([code, name]) => (
            <CheckField
              key={code}
              label={name}
              checked={chosen.includes(code)}
              onChange={(isChosen) => onChange(isChosen ? [...chosen, code] : chosen.filter((each) => each !== code))}
            />
          ))}
        </div>
      </details>
    </FieldGroup>
  )
}
