import type { Overview, OverviewEnergy, OverviewFigure } from "@edp/domain/dashboard/Overview"
import type { MissingReason } from "@edp/domain/metrics/MetricSeries"
import { Link } from "@tanstack/react-router"
import { formatExact, formatQuantity, formatShare, formatTime, type Unit } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Card } from "../../kit/components.tsx"
import { DeviceLink } from "../../kit/recordLinks.tsx"

/** Energies of today, beside those of the same weekday. */
export const Today = ({ energy, timeZone }: { readonly energy: OverviewEnergy; readonly timeZone: string }) => {
  const t = useMessages("overview")
  const language = useLanguage()
  const day = formatTime(language, Date.parse(energy.comparedFrom), { weekday: "long", timeZone })
  const change = ({ before, today }: { readonly before: number; readonly today: number }) => {
    if (before <= 0) return t.notCompared
    const share = today / before - 1
    const text = formatShare(language, Math.abs(share))
    return t.than({
      change: Math.abs(share) < 0.005 ? t.equal : share > 0 ? t.more({ share: text }) : t.less({ share: text }),
      day
    })
  }
  return (
    <Card title={<Link to="/dashboard/energy">{t.today}</Link>}>
      <dl className="overview-energies">
        {energy.energies.map(({ compared, name, reason, value }) => (
          <div key={name}>
            <dt>{t.energies[name]}</dt>
            <dd>
              <span className="overview-value" title={value === null ? undefined : formatExact(language, value, "Wh")}>
                {value === null ? "–" : formatQuantity(language, value, "Wh")}
              </span>
              <span className="overview-note">
                {value === null
                  ? t.energyReasons[(reason ?? "not_measured") as MissingReason]
                  : compared === null
                    ? t.notCompared
                    : change(compared)}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

const Value = ({ figure, unit }: { readonly figure: OverviewFigure; readonly unit: Unit }) => {
  const t = useMessages("overview")
  const language = useLanguage()
  return figure.value === null ? (
    <td title={t.reasons[figure.reason!]}>
      – <span className="hidden">{t.reasons[figure.reason!]}</span>
    </td>
  ) : (
    <td title={formatExact(language, figure.value, unit)}>{formatQuantity(language, figure.value, unit)}</td>
  )
}

const kinds = ["batteries", "charging", "thermostats"] as const

/** Shows what devices could give or take from now on. */
export const Dispatchable = ({ dispatchable }: { readonly dispatchable: Overview["dispatchable"] }) => {
  const t = useMessages("overview")
  return (
    <Card title={t.dispatchable}>
      <table className="overview-able">
        <thead>
          <tr>
            <td />
            <th scope="colgroup" colSpan={2} title={t.upHint}>
              {t.up}
            </th>
            <th scope="colgroup" colSpan={2} title={t.downHint}>
              {t.down}
            </th>
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) => {
            const { downW, downWh, upW, upWh } = dispatchable[kind]
            const isUnknown = [downW, downWh, upW, upWh].every(({ value }) => value === null)
            return (
              <tr key={kind}>
                <th scope="row">{t.kinds[kind]}</th>
                {isUnknown ? (
                  <td colSpan={4} className="overview-note">
                    – {t.reasons[upW.reason!]}
                  </td>
                ) : (
                  <>
                    <Value figure={upW} unit="W" />
                    <Value figure={upWh} unit="Wh" />
                    <Value figure={downW} unit="W" />
                    <Value figure={downWh} unit="Wh" />
                  </>
                )}
              </tr>
            )
          })}
        </tbody>
      </table>
    </Card>
  )
}

interface NextProps {
  readonly overview: Overview
  readonly timeZone: string
}

/** Dispatches and schedules that run or come next; the phone shows the first three lines. */
export const Next = ({ overview: { asOf, dispatches, schedules }, timeZone }: NextProps) => {
  const t = useMessages("overview")
  const language = useLanguage()
  const day = (at: string) => formatTime(language, Date.parse(at), { dateStyle: "short", timeZone })
  const time = (at: string) =>
    formatTime(language, Date.parse(at), {
      ...(day(at) !== day(asOf) && { month: "short", day: "numeric" }),
      hour: "numeric",
      minute: "2-digit",
      timeZone
    })
  return (
    <Card title={<Link to="/dashboard/dispatches">{t.next}</Link>}>
      {dispatches.length + schedules.next.length === 0 ? (
        <p className="muted">{t.nothingNext}</p>
      ) : (
        <ul className="overview-next">
          {dispatches.map(({ endsAt, id, name, startsAt, status }) => (
            <li key={id} title={name}>
              <Link to="/dashboard/dispatches/$id" params={{ id }}>
                {name}
              </Link>
              <span>
                {status === "running" ? t.running({ time: time(endsAt) }) : t.starts({ time: time(startsAt) })}
              </span>
            </li>
          ))}
          {schedules.next.map(({ deviceId, id, name, nextTransitionAt }) => (
            <li key={id} title={name}>
              {deviceId === null ? <span>{name}</span> : <DeviceLink id={deviceId}>{name}</DeviceLink>}
              <span>{t.switches({ time: time(nextTransitionAt) })}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
