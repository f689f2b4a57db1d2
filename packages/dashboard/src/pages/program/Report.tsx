import { enrollmentStatuses } from "@edp/domain/enrollments/Enrollment"
import type { ProgramReport, ReportDay } from "@edp/domain/dispatches/ProgramReport"
import { reportCsv } from "@edp/domain/dispatches/ProgramReport"
import type { ProgramInstance } from "@edp/domain/programs/ProgramInstance"
import type { Series } from "../../charts/series.ts"
import { TimeChart } from "../../charts/TimeChart.tsx"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { instanceReportQuery } from "../../resources/programs.ts"
import { Button } from "../../kit/Button.tsx"
import { saveText } from "../../kit/download.ts"
import { Figure } from "../../kit/Figure.tsx"
import { ListedOf } from "../../kit/ListedOf.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { periodFromDay } from "../../i18n/period.ts"
import { Card, Facts } from "../../kit/components.tsx"
import { Table } from "../../kit/Table.tsx"
import { DeviceLink } from "../../kit/recordLinks.tsx"

/** Devices that did not respond, of which the page lists so many. */
const LISTED = 25

const energySeries = (
  days: ReadonlyArray<ReportDay>,
  timeZone: string,
  names: { readonly discharged: string; readonly charged: string }
): ReadonlyArray<Series> => {
  const points = (value: (day: ReportDay) => number | null) =>
    days.map((day) => [periodFromDay(day.date, "day", timeZone)?.from ?? 0, value(day)] as const)
  return [
    {
      id: "discharged",
      name: names.discharged,
      unit: "Wh",
      kind: "bar",
      color: 3,
      points: points((day) => day.dischargedWh)
    },
    { id: "charged", name: names.charged, unit: "Wh", kind: "bar", color: 2, points: points((day) => day.chargedWh) }
  ]
}

const Figures = ({ report }: { readonly report: ProgramReport }) => {
  const t = useMessages("program")
  const energyReason = report.reason === undefined ? undefined : t.reasons[report.reason]
  const capacityReason = report.capacityReason === undefined ? undefined : t.reasons[report.capacityReason]
  return (
    <div className="figures">
      <Figure
        label={t.discharged}
        value={report.dischargedWh}
        unit="Wh"
        reason={energyReason}
        coverage={report.coverage}
        size="large"
      />
      <Figure
        label={t.charged}
        value={report.chargedWh}
        unit="Wh"
        reason={energyReason}
        coverage={report.coverage}
        size="large"
      />
      <Figure label={t.capacity} value={report.capacityWh} unit="Wh" reason={capacityReason} size="large" />
      <Figure label={t.power} value={report.dischargePowerW} unit="W" reason={capacityReason} size="large" />
    </div>
  )
}

/** A program instance in figures, over the last 30 days. */
export const Report = ({ instance }: { readonly instance: ProgramInstance }) => {
  const t = useMessages("program")
  const { types } = useMessages("devices")
  const language = useLanguage()
  return (
    <Loaded query={instanceReportQuery(instance.id)}>
      {(report) =>
        typeof report === "string" ? null : (
          <>
            <Card
              title={t.last30}
              actions={
                <Button
                  small
                  icon="download"
                  onClick={() => saveText(`${instance.slug}.csv`, "text/csv", reportCsv(report.days))}
                >
                  {t.csv}
                </Button>
              }
            >
              <Figures report={report} />
            </Card>
            <Card title={t.perDay}>
              <TimeChart
                title={t.perDay}
                from={Date.parse(report.from)}
                to={Date.parse(report.to)}
                timeZone={report.timezone}
                series={energySeries(report.days, report.timezone, t)}
              />
            </Card>
            <div className="grid">
              <Card title={t.byStatus}>
                <Facts
                  items={enrollmentStatuses.map((status) => [
                    t.enrollmentStatuses[status],
                    formatNumber(language, report.enrollments.find((each) => each.status === status)?.count ?? 0)
                  ])}
                />
              </Card>
              <Card title={t.devices}>
                {report.devices.length === 0 ? (
                  <p className="muted">{t.reasons.no_devices}</p>
                ) : (
                  <Facts
                    items={report.devices.map(({ type, count }) => [types[type], formatNumber(language, count)])}
                  />
                )}
              </Card>
            </div>
            {report.unresponsiveTotal > 0 && (
              <Card flush title={`${t.unresponsive}: ${formatNumber(language, report.unresponsiveTotal)}`}>
                <Table
                  caption={t.unresponsive}
                  rows={report.unresponsiveDevices.slice(0, LISTED)}
                  id={(row) => row.deviceId}
                  columns={[
                    {
                      id: "device",
                      header: t.devices,
                      isName: true,
                      cell: (row) => <DeviceLink id={row.deviceId}>{row.deviceId}</DeviceLink>
                    },
                    {
                      id: "missed",
                      header: t.reason,
                      cell: (row) => t.unresponsiveNote({ missed: row.unresponsive, all: row.dispatches })
                    }
                  ]}
                />
                <ListedOf
                  shown={Math.min(LISTED, report.unresponsiveDevices.length)}
                  total={report.unresponsiveTotal}
                />
              </Card>
            )}
          </>
        )
      }
    </Loaded>
  )
}
