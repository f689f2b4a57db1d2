import { type Enrollment, type EnrollmentStatus, enrollmentStatuses } from "@edp/domain/enrollments/Enrollment"
import type { ProgramInstance } from "@edp/domain/programs/ProgramInstance"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { customerNameQuery } from "../../api/names.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Pager } from "../../kit/Pager.tsx"
import { Badge, Card, Empty, Notice, type State } from "../../kit/components.tsx"
import { type Column, Table } from "../../kit/Table.tsx"
import { kitMessages } from "../../kit/messages.ts"
import { useChange } from "../../kit/useChange.ts"
import { useAtomValue, currentValue } from "../../state/atoms.ts"
import { type Decision, DecisionDialog } from "./DecisionDialog.tsx"
import { enrollmentsQuery } from "./queries.ts"
import { messages } from "./messages.ts"

const route = getRouteApi("/dashboard/programs/$id")

const states: Readonly<Record<EnrollmentStatus, State>> = {
  candidate: "info",
  eligible: "info",
  ineligible: "plain",
  submitted: "warn",
  approved: "good",
  rejected: "plain",
  unenrolled: "plain"
}

/** The name of a customer, with the id until it is read. */
const CustomerName = ({ id }: { readonly id: string }) => {
  const name = currentValue(useAtomValue(customerNameQuery(id)))
  return (
    <Link to="/dashboard/customers/$id" params={{ id }}>
      {name ?? id}
    </Link>
  )
}

/** The time of the newest transition. */
const changedAt = (enrollment: Enrollment) =>
  enrollment.unenrolledAt ??
  enrollment.rejectedAt ??
  enrollment.approvedAt ??
  enrollment.submittedAt ??
  enrollment.createdAt

/** The enrollments of an instance, of which some can be approved, rejected or ended together. */
export const Enrollments = ({ instance }: { readonly instance: ProgramInstance }) => {
  const t = useMessages(messages)
  const kit = useMessages(kitMessages)
  const { page = 1, status } = route.useSearch()
  const change = useChange(route.useNavigate())
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [decision, setDecision] = useState<Decision>()
  const show = (changed: Parameters<typeof change>[0]) => {
    setSelected(new Set())
    change(changed)
  }
  const columns: ReadonlyArray<Column<Enrollment>> = [
    { id: "customer", header: t.customer, isName: true, cell: (row) => <CustomerName id={row.customerId} /> },
    {
      id: "status",
      header: t.status,
      cell: (row) => <Badge state={states[row.status]}>{t.enrollmentStatuses[row.status]}</Badge>
    },
    { id: "reason", header: t.reason, cell: (row) => row.statusReason ?? "–" },
    {
      id: "needs",
      header: t.needs,
      isExtra: true,
      cell: (row) => {
        const open = row.requiredActions.filter(({ done }) => !done)
        return open.length === 0
          ? t.nothing
          : open.map(({ title, actor }) => `${title} (${t.actors[actor]})`).join(", ")
      }
    },
    {
      id: "site",
      header: t.site,
      isExtra: true,
      cell: (row) =>
        row.siteId === null ? (
          t.allSites
        ) : (
          <Link to="/dashboard/sites/$id" params={{ id: row.siteId }}>
            {row.address?.streetOne ?? t.site}
          </Link>
        )
    },
    { id: "since", header: t.since, cell: (row) => <Age time={changedAt(row)} /> }
  ]
  return (
    <Card
      flush
      title={t.enrollments}
      actions={
        <SelectField
          label={t.status}
          hideLabel
          value={status ?? ""}
          options={[
            { value: "", label: t.all },
            ...enrollmentStatuses.map((value) => ({ value, label: t.enrollmentStatuses[value] }))
          ]}
          onChange={(value) => show({ status: value || undefined, page: undefined })}
        />
      }
    >
      <Loaded query={enrollmentsQuery(instance.id, page, status)}>
        {(response, { waiting }) => {
          const chosen = response.data.filter(({ id }) => selected.has(id))
          return (
            <>
              {chosen.length > 0 && (
                <Notice
                  state="info"
                  title={kit.selected(chosen.length)}
                  actions={(["approve", "reject", "unenroll"] as const).map((kind) => (
                    <Button
                      key={kind}
                      small
                      tone={kind === "approve" ? "main" : "danger"}
                      onClick={() => setDecision({ kind, enrollments: chosen })}
                    >
                      {t[kind]}
                    </Button>
                  ))}
                />
              )}
              <Table
                caption={t.enrollments}
                columns={columns}
                rows={response.data}
                id={(row) => row.id}
                name={(row) => row.referenceId ?? row.id}
                selection={{ selected, onChange: setSelected }}
                waiting={waiting}
                empty={
                  <Empty icon="people" title={status === undefined ? t.empty : t.none}>
                    {status === undefined && t.emptyHint}
                  </Empty>
                }
              />
              <Pager {...response} onPage={(next) => show({ page: next })} />
            </>
          )
        }}
      </Loaded>
      <DecisionDialog
        decision={decision}
        onClose={() => setDecision(undefined)}
        onDecided={(ids) => setSelected((former) => new Set([...former].filter((id) => !ids.includes(id))))}
      />
    </Card>
  )
}
