import type { FleetDevice, FleetFigure } from "@edp/domain/dashboard/Fleet"
import { readSetting, writeSetting } from "../../state/settings.ts"

/** The columns that can be chosen, in their order; the name is always shown. */
export const columnIds = [
  "status",
  "type",
  "model",
  "power",
  "charge",
  "temperature",
  "reported",
  "site",
  "customer",
  "tags",
  "serial",
  "alerts"
] as const
export type ColumnId = (typeof columnIds)[number]

export const usualColumns: ReadonlyArray<ColumnId> = [
  "status",
  "type",
  "power",
  "charge",
  "reported",
  "site",
  "customer",
  "alerts"
]

/** The share of the width that each column takes, and the least that it needs. */
export const columnWidths: Readonly<Record<ColumnId | "check" | "name", string>> = {
  check: "24px",
  name: "minmax(140px, 2fr)",
  status: "minmax(106px, 0.7fr)",
  type: "minmax(94px, 0.7fr)",
  model: "minmax(120px, 1.4fr)",
  power: "minmax(68px, 0.6fr)",
  charge: "minmax(60px, 0.4fr)",
  temperature: "minmax(72px, 0.6fr)",
  reported: "minmax(104px, 0.6fr)",
  site: "minmax(150px, 2fr)",
  customer: "minmax(92px, 1.2fr)",
  tags: "minmax(90px, 1fr)",
  serial: "minmax(100px, 1fr)",
  alerts: "minmax(46px, 0.3fr)"
}

const setting = (workspaceId: string) => `fleet-columns.${workspaceId}`

/** The columns of a setting. What it does not know is left out; without a setting, the usual ones. */
export const parseColumns = (text: string | null): ReadonlyArray<ColumnId> => {
  if (text === null) return usualColumns
  const chosen = new Set(text.split(","))
  return columnIds.filter((id) => chosen.has(id))
}

/** The columns that this browser keeps for a workspace. */
export const readColumns = (workspaceId: string) => parseColumns(readSetting(setting(workspaceId)))

export const writeColumns = (workspaceId: string, columns: ReadonlyArray<ColumnId>) =>
  writeSetting(setting(workspaceId), columns.join() === usualColumns.join() ? null : columns.join())

type Unit = FleetFigure["values"][number]["unit"]

const unitByColumn = { power: "W", charge: "percent", temperature: "degF" } as const satisfies Record<string, Unit>
export type FigureColumn = keyof typeof unitByColumn

/** The value of a column in the newest reading; undefined if the device has none. */
export const figureValue = ({ figure }: FleetDevice, column: FigureColumn): number | undefined =>
  figure?.values.find(({ unit }) => unit === unitByColumn[column])?.value
