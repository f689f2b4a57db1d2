import type { HealthTable, SystemHealth } from "@edp/domain/dashboard/SystemHealth"
import { formatNumber, formatQuantity, formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Notice } from "../../kit/components.tsx"
import { Table } from "../../kit/Table.tsx"
import { HealthSection } from "./HealthSection.tsx"

const PartitionedTable = ({ table }: { readonly table: HealthTable }) => {
  const t = useMessages("health")
  const language = useLanguage()
  const day = (text: string | null) =>
    text === null ? "…" : formatTime(language, Date.parse(text), { dateStyle: "medium", timeZone: "UTC" })
  return (
    <details className="health-table">
      <summary>
        <strong>{t.tables[table.table]}</strong>{" "}
        <span className="muted">
          {t.partitionCount({
            count: table.total,
            rows: table.rows,
            size: formatQuantity(language, table.bytes, "B")
          })}
        </span>
      </summary>
      {table.nextExists ? (
        <p className="muted">{t.nextExists}</p>
      ) : (
        <Notice state="bad">{t.nextMissing({ table: t.tables[table.table] })}</Notice>
      )}
      <Table
        caption={t.tables[table.table]}
        rows={table.partitions}
        id={({ name }) => name}
        columns={[
          { id: "name", header: t.partition, isName: true, cell: ({ name }) => name },
          { id: "range", header: t.range, cell: ({ from, to }) => `${day(from)} – ${day(to)}` },
          {
            id: "rows",
            header: t.rows,
            align: "end",
            cell: ({ rows }) => (rows === null ? <span className="muted">–</span> : formatNumber(language, rows))
          },
          { id: "size", header: t.size, align: "end", cell: ({ bytes }) => formatQuantity(language, bytes, "B") }
        ]}
      />
    </details>
  )
}

export const Partitions = ({ health }: { readonly health: SystemHealth }) => {
  const t = useMessages("health")
  return (
    <HealthSection title={t.partitions} part={health.partitions}>
      {(tables) => (
        <div className="stack tight">
          {tables.map((table) => (
            <PartitionedTable key={table.table} table={table} />
          ))}
        </div>
      )}
    </HealthSection>
  )
}
