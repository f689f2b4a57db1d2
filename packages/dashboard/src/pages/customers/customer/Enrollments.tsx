import type { Customer } from "@edp/domain/customers/Customer"
import type { EnrollmentStatus } from "@edp/domain/enrollments/Enrollment"
import type { ProgramInstance } from "@edp/domain/programs/ProgramInstance"
import { Link } from "@tanstack/react-router"
import { AsyncResult, Atom } from "effect/reactivity"
import { useMemo } from "react"
import { useMessages } from "../../../i18n/useMessages.ts"
import { customerEnrollmentsQuery } from "../../../resources/enrollments.ts"
import { instancesQuery } from "../../../resources/programs.ts"
import { Age } from "../../../kit/Figure.tsx"
import { ListedOf } from "../../../kit/ListedOf.tsx"
import { Loaded } from "../../../kit/Loaded.tsx"
import { Badge, Card, Empty, type State } from "../../../kit/components.tsx"
import { Table } from "../../../kit/Table.tsx"

const statusStates: Readonly<Record<EnrollmentStatus, State>> = {
  candidate: "plain",
  eligible: "info",
  ineligible: "warn",
  submitted: "info",
  approved: "good",
  rejected: "bad",
  unenrolled: "plain"
}

interface ListProps {
  readonly customer: Customer
  readonly instances: ReadonlyArray<ProgramInstance>
}

const List = ({ customer, instances }: ListProps) => {
  const t = useMessages("customers")
  const ids = instances.map(({ id }) => id).join()
  const query = useMemo(() => {
    const queries = ids.split(",").map((id) => customerEnrollmentsQuery(id, customer.id))
    return Atom.readable(
      (get) => AsyncResult.all(queries.map(get)),
      (refresh) => queries.forEach((each) => refresh(each))
    )
  }, [ids, customer.id])
  const instance = new Map(instances.map((each) => [each.id, each]))
  return (
    <Loaded query={query}>
      {(responses, { waiting }) => (
        <>
          <Table
            caption={t.enrollments}
            rows={responses.flatMap(({ data }) => data)}
            id={({ id }) => id}
            waiting={waiting}
            empty={
              <Empty icon="program" title={t.noEnrollments}>
                {t.noEnrollmentsHint}
              </Empty>
            }
            columns={[
              {
                id: "program",
                header: t.program,
                isName: true,
                cell: ({ programInstanceId }) => (
                  <Link to="/dashboard/programs/$id" params={{ id: programInstanceId }}>
                    {instance.get(programInstanceId)?.title ?? programInstanceId}
                  </Link>
                )
              },
              {
                id: "status",
                header: t.status,
                cell: ({ status, statusReason }) => (
                  <>
                    <Badge state={statusStates[status]}>{t.statuses[status]}</Badge>{" "}
                    {statusReason !== null && <span className="muted">{statusReason}</span>}
                  </>
                )
              },
              { id: "changed", header: t.since, isExtra: true, cell: ({ updatedAt }) => <Age time={updatedAt} /> }
            ]}
          />
          <ListedOf
            shown={responses.reduce((sum, { data }) => sum + data.length, 0)}
            total={responses.reduce((sum, { totalItems }) => sum + totalItems, 0)}
          />
        </>
      )}
    </Loaded>
  )
}

/** The programs that a customer takes part in. Enrollments are listed by program instance, of which the newest are searched. */
export const Enrollments = ({ customer }: { readonly customer: Customer }) => {
  const t = useMessages("customers")
  return (
    <Card title={t.enrollments} flush>
      <Loaded query={instancesQuery({})}>
        {({ data, totalItems }) =>
          data.length === 0 ? (
            <Empty icon="program" title={t.noEnrollments} />
          ) : (
            <>
              <List customer={customer} instances={data} />
              {totalItems > data.length && (
                <p className="listed-of muted">{t.firstInstances({ count: data.length })}</p>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  )
}
