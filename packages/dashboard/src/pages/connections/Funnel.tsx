import type { ConnectFunnel } from "@edp/domain/connections/ConnectFunnel"
import type { ConnectError } from "@edp/domain/connections/ConnectError"
import { workspaceAtom } from "../../api/session.ts"
import { formatNumber, formatShare } from "../../i18n/format.ts"
import { chosenPeriod } from "../../i18n/period.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { connectFunnelQuery } from "../../resources/connections.ts"
import { Loaded } from "../../kit/Loaded.tsx"
import { Card, Empty } from "../../kit/components.tsx"
import { TimeRange } from "../../kit/TimeRange.tsx"
import { Table } from "../../kit/Table.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { formatDuration } from "./duration.ts"
import { type FunnelBar, funnelBars, funnelErrors, successShare } from "./funnelSteps.ts"
import { ManufacturerField, useManufacturers } from "./manufacturers.tsx"

const route = pageRoute("/dashboard/connections")

type Manufacturer = ConnectFunnel["manufacturers"][number]

/** The bars are drawn in the cells of a table, so that it reads the same without them. */
const Bars = ({ bars }: { readonly bars: ReadonlyArray<FunnelBar> }) => {
  const t = useMessages("connections")
  const language = useLanguage()
  return (
    <Table
      caption={t.stepsTitle}
      rows={bars}
      id={(bar) => bar.status}
      columns={[
        { id: "step", header: t.step, isName: true, cell: (bar) => t.statuses[bar.status] },
        {
          id: "reached",
          header: t.reached,
          cell: (bar) => (
            <span className="connections-bar">
              <span className="connections-bar-fill" style={{ width: `${bar.share * 100}%` }} />
              <span className="connections-bar-text">{formatNumber(language, bar.reached)}</span>
            </span>
          )
        },
        { id: "share", header: t.share, align: "end", cell: (bar) => formatShare(language, bar.share) },
        {
          id: "rate",
          header: t.rate,
          align: "end",
          cell: (bar) => (bar.rate === null ? "–" : formatShare(language, bar.rate))
        },
        {
          id: "median",
          header: t.median,
          align: "end",
          cell: (bar) => (bar.medianSeconds === null ? "–" : formatDuration(language, bar.medianSeconds))
        }
      ]}
    />
  )
}

const Failures = ({
  manufacturers,
  all
}: {
  readonly manufacturers: ReadonlyArray<Manufacturer>
  readonly all: number
}) => {
  const t = useMessages("connections")
  const language = useLanguage()
  return (
    <Table
      caption={t.failures}
      rows={funnelErrors(manufacturers)}
      id={({ code }) => code}
      empty={<Empty icon="check" title={t.noFailures} />}
      columns={[
        {
          id: "reason",
          header: t.reason,
          isName: true,
          cell: ({ code }) => t.errors[code as ConnectError] ?? code
        },
        { id: "sessions", header: t.reached, align: "end", cell: ({ sessions }) => formatNumber(language, sessions) },
        {
          id: "share",
          header: t.share,
          align: "end",
          cell: ({ sessions }) => formatShare(language, all === 0 ? 0 : sessions / all)
        }
      ]}
    />
  )
}

const ByManufacturer = ({ manufacturers }: { readonly manufacturers: ReadonlyArray<Manufacturer> }) => {
  const t = useMessages("connections")
  const language = useLanguage()
  const { name } = useManufacturers()
  return (
    <Table
      caption={t.byManufacturer}
      rows={manufacturers}
      id={({ manufacturer }) => manufacturer ?? ""}
      columns={[
        {
          id: "manufacturer",
          header: t.manufacturer,
          isName: true,
          cell: ({ manufacturer }) => (manufacturer === null ? t.notSelected : name(manufacturer))
        },
        { id: "sessions", header: t.reached, align: "end", cell: ({ sessions }) => formatNumber(language, sessions) },
        {
          id: "success",
          header: t.success,
          align: "end",
          cell: (each) => {
            const share = successShare(each)
            return share === null ? "–" : formatShare(language, share)
          }
        },
        {
          id: "time",
          header: t.timeToConnect,
          align: "end",
          cell: ({ medianConnectSeconds }) =>
            medianConnectSeconds === null ? "–" : formatDuration(language, medianConnectSeconds)
        }
      ]}
    />
  )
}

/** How far connect sessions come, how long it takes, and why they fail. */
export const Funnel = () => {
  const t = useMessages("connections")
  const timeZone = useAtomValue(workspaceAtom)?.timezone ?? "UTC"
  const { day, manufacturer, unit = "month" } = route.useSearch()
  const period = chosenPeriod({ unit, day }, timeZone)
  const change = route.useChange()
  const query = connectFunnelQuery(period)
  return (
    <>
      <div className="filters">
        <TimeRange
          period={period}
          timeZone={timeZone}
          units={["7d", "30d", "day", "week", "month"]}
          onChange={change}
        />
        <ManufacturerField value={manufacturer} onChange={(slug) => change({ manufacturer: slug })} />
      </div>
      <Loaded query={query}>
        {(funnel) => {
          const chosen = funnel.manufacturers.filter(
            (each) => manufacturer === undefined || each.manufacturer === manufacturer
          )
          const all = chosen.reduce((sum, { sessions }) => sum + sessions, 0)
          if (all === 0) {
            return (
              <Card>
                <Empty icon="chart" title={t.noFunnel}>
                  {t.noFunnelHint}
                </Empty>
              </Card>
            )
          }
          return (
            <>
              <Card flush title={t.stepsTitle} actions={<span className="muted">{t.sessionsOf({ count: all })}</span>}>
                <Bars bars={funnelBars(chosen)} />
              </Card>
              <div className="grid">
                <Card flush title={t.byManufacturer}>
                  <ByManufacturer manufacturers={chosen} />
                </Card>
                <Card flush title={t.failures}>
                  <Failures manufacturers={chosen} all={all} />
                </Card>
              </div>
            </>
          )
        }}
      </Loaded>
    </>
  )
}
