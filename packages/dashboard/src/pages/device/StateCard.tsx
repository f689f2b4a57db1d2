import type { Device } from "@edp/domain/devices/Device"
import { useDisplayUnits } from "../../api/displayUnits.ts"
import { formatTime, type Unit } from "../../i18n/format.ts"
import { formatShown, shownUnit, shownValue } from "../../i18n/units.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Age, Figure, WordFigure } from "../../kit/Figure.tsx"
import { Card, Empty, Facts } from "../../kit/components.tsx"
import { direction, type Field, stateFields } from "./fields.ts"

interface StateProps {
  readonly device: Device
  readonly manufacturer: string
  readonly timeZone: string
}

interface StateFigureProps extends Omit<StateProps, "manufacturer"> {
  readonly field: Field
  readonly value: unknown
}

const StateFigure = ({ device, timeZone, field, value }: StateFigureProps) => {
  const t = useMessages("fields")
  const language = useLanguage()
  const units = useDisplayUnits()
  const label = t.fields[field.name] ?? field.name
  if (field.kind === "quantity") {
    const number = typeof value === "number" ? value : null
    const way = number === null ? undefined : direction(device.type, field.name, number)
    const shown = number === null ? null : shownValue(number, field.unit, units)
    return (
      <Figure
        label={label}
        value={shown}
        unit={shownUnit(field.unit, units)}
        reason={t.isNull}
        note={way === undefined ? undefined : t.directions[way]}
      />
    )
  }
  if (value === null) return <WordFigure label={label} value={null} reason={t.isNull} />
  const text = String(value)
  if (field.kind === "flag") return <WordFigure label={label} value={value === true ? t.yes : t.no} />
  return (
    <WordFigure
      label={label}
      value={
        field.kind === "time"
          ? formatTime(language, Date.parse(text), { dateStyle: "medium", timeStyle: "short", timeZone })
          : (t.words[text] ?? text)
      }
    />
  )
}

/** Every field of the newest reading, with its unit and the meaning of its sign. Those that the device lacks are named below. */
export const StateCard = ({ device, manufacturer, timeZone }: StateProps) => {
  const t = useMessages("device")
  const words = useMessages("fields")
  const state = device.state as Readonly<Record<string, unknown>> & { readonly createdAt?: string }
  if (state.createdAt === undefined) {
    return (
      <Card title={t.state}>
        <Empty icon="clock" title={t.noState}>
          {t.noStateHint}
        </Empty>
      </Card>
    )
  }
  const fields = stateFields(device.type, state)
  const reported = fields.filter(({ name }) => state[name] !== undefined)
  const missing = fields.filter(({ name }) => state[name] === undefined)
  return (
    <Card
      title={t.state}
      actions={
        <span className="muted">
          {t.reading} <Age time={state.createdAt} live timeZone={timeZone} />
        </span>
      }
    >
      <div className="figures">
        {reported.map((field) => (
          <StateFigure key={field.name} device={device} timeZone={timeZone} field={field} value={state[field.name]} />
        ))}
      </div>
      {missing.length > 0 && (
        <p className="hint device-missing">
          {words.notReported({ manufacturer })}: {missing.map(({ name }) => words.fields[name] ?? name).join(", ")}
        </p>
      )}
    </Card>
  )
}

const ratingUnits: Readonly<Record<string, Unit>> = {
  capacity: "Wh",
  maxChargeRate: "W",
  minChargeRate: "W",
  maxDischargeRate: "W",
  power: "W",
  minPower: "W",
  maxPower: "W",
  minHeatSetpoint: "°F",
  maxHeatSetpoint: "°F",
  minCoolSetpoint: "°F",
  maxCoolSetpoint: "°F"
}

/** Ratings and other properties that do not change with the readings. */
export const RatingsCard = ({ device }: { readonly device: Device }) => {
  const t = useMessages("device")
  const words = useMessages("fields")
  const language = useLanguage()
  const units = useDisplayUnits()
  const show = (name: string, value: unknown): string | null => {
    if (value === null || value === undefined) return name === "keyPaired" ? words.noPairing : null
    if (typeof value === "number") {
      const unit = ratingUnits[name] ?? ""
      return formatShown(language, value, unit, units)
    }
    if (typeof value === "boolean") return value ? words.yes : words.no
    if (Array.isArray(value)) return value.map((each) => words.words[String(each)] ?? String(each)).join(", ")
    return typeof value === "object"
      ? Object.entries(value)
          .map(([part, each]) => `${part}: ${show(part, each) ?? "–"}`)
          .join(", ")
      : String(value)
  }
  const ratings = Object.entries(device.staticState ?? {})
  return (
    <Card title={t.ratings}>
      {ratings.length === 0 ? (
        <p className="muted">{t.noRatings}</p>
      ) : (
        <Facts
          items={ratings.map(([name, value]) => [
            name === "power" ? words.ratedPower : (words.fields[name] ?? name),
            show(name, value)
          ])}
        />
      )}
    </Card>
  )
}
