import { type Enrollment, type EnrollmentStatus, enrollmentStatuses } from "@edp/domain/enrollments/Enrollment"
import type { ProgramInstance } from "@edp/domain/programs/ProgramInstance"
import { useState } from "react"
import { customerNameQuery } from "../../resources/names.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { enrollmentsQuery } from "../../resources/enrollments.ts"
import { Button } from "../../kit/Button.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Badge, Notice, type State } from "../../kit/components.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { CustomerLink, SiteLink } from "../../kit/recordLinks.tsx"
import type { Column } from "../../kit/Table.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomValue, currentValue } from "../../state/atoms.ts"
import { type Decision, DecisionDialog } from "./DecisionDialog.tsx"

const route = pageRoute("/dashboard/programs/$id")

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
  return <CustomerLink id={id}>{name ?? id}</CustomerLink>
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
  const t = useMessages("program")
  const kit = useMessages("kit")
  const search = route.useSearch()
  const change = route.useChange()
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
        row.siteId === null ? t.allSites : <SiteLink id={row.siteId}>{row.address?.streetOne ?? t.site}</SiteLink>
    },
    { id: "since", header: t.since, cell: (row) => <Age time={changedAt(row)} /> }
  ]
  return (
    <RecordList
      title={t.enrollments}
      actions={
        <ChoiceFilter
          label={t.status}
          hideLabel
          all={t.all}
          value={search.status}
          values={enrollmentStatuses}
          name={(status) => t.enrollmentStatuses[status]}
          onChange={(status) => show({ status, page: undefined })}
        />
      }
      query={enrollmentsQuery(instance.id, search)}
      paging={{ onPage: (page) => show({ page }) }}
      id={({ id }) => id}
      columns={columns}
      name={(row) => row.referenceId ?? row.id}
      selection={{ selected, onChange: setSelected }}
      none={{ icon: "people", title: t.empty, hint: t.emptyHint }}
      noMatch={search.status !== undefined && { title: t.none }}
      above={(rows) => {
        const chosen = rows.filter(({ id }) => selected.has(id))
        return (
          chosen.length > 0 && (
            <Notice
              state="info"
              title={kit.selected({ count: chosen.length })}
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
          )
        )
      }}
    >
      <DecisionDialog
        decision={decision}
        onClose={() => setDecision(undefined)}
        onDecided={(ids) => setSelected((former) => new Set([...former].filter((id) => !ids.includes(id))))}
      />
    </RecordList>
  )
}
