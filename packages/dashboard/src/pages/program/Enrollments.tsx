import { type Enrollment, type EnrollmentStatus, enrollmentStatuses } from "@edp/domain/enrollments/Enrollment"
import type { ProgramInstance } from "@edp/domain/programs/ProgramInstance"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { customerNameQuery } from "../../api/names.ts"
import { useTexts } from "../../i18n/useTexts.ts"
import { Button } from "../../kit/Button.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Pager } from "../../kit/Pager.tsx"
import { Badge, Card, Empty, Notice, type State } from "../../kit/Parts.tsx"
import { type Column, Table } from "../../kit/Table.tsx"
import { kitTexts } from "../../kit/texts.ts"
import { pageNumber, useParameters } from "../../kit/useParameters.ts"
import { useAtomValue, useLatest } from "../../state/atoms.ts"
import { type Decision, DecisionDialog } from "./DecisionDialog.tsx"
import { enrollmentsQuery } from "./queries.ts"
import { texts } from "./texts.ts"

const states: Readonly<Record<EnrollmentStatus, State>> = {
  candidate: "info",
  eligible: "info",
  ineligible: "plain",
  submitted: "warn",
  approved: "good",
  rejected: "plain",
  unenrolled: "plain"
}

const isStatus = (text: string | undefined): text is EnrollmentStatus =>
  enrollmentStatuses.includes(text as EnrollmentStatus)

/** The name of a customer, with the id until it is read. */
const CustomerName = ({ id }: { readonly id: string }) => {
  const name = useLatest(useAtomValue(customerNameQuery(id)))
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
  const t = useTexts(texts)
  const kit = useTexts(kitTexts)
  const [parameters, change] = useParameters()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [decision, setDecision] = useState<Decision>()
  const page = pageNumber(parameters["page"])
  const status = isStatus(parameters["status"]) ? parameters["status"] : undefined
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
        {(answer, { waiting }) => {
          const chosen = answer.data.filter(({ id }) => selected.has(id))
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
                rows={answer.data}
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
              <Pager {...answer} onPage={(next) => show({ page: String(next) })} />
            </>
          )
        }}
      </Loaded>
      <DecisionDialog
        decision={decision}
        onClose={() => {
          setDecision(undefined)
          setSelected(new Set())
        }}
      />
    </Card>
  )
}
