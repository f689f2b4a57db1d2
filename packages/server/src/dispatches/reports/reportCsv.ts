import type { ReportInterval } from "@edp/domain/dispatches/DispatchReport"

/** The columns of the CSV of a dispatch's report. */
export const reportCsvHeader = "siteId,startsAt,endsAt,baselineWh,actualWh,deliveredWh,coverage,reason\r\n"

/** The rows of a site: no cell needs quotes. */
export const reportCsvRows = (siteId: string, intervals: ReadonlyArray<ReportInterval>): string =>
  intervals
    .map(({ actualWh, baselineWh, coverage, deliveredWh, endsAt, reason, startsAt }) =>
      [siteId, startsAt, endsAt, baselineWh ?? "", actualWh ?? "", deliveredWh ?? "", coverage, reason ?? ""].join(",")
    )
    .map((line) => `${line}\r\n`)
    .join("")
