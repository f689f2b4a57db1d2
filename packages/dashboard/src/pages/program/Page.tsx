import type { ProgramInstance, ProgramInstanceStatus } from "@edp/domain/programs/ProgramInstance"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { instanceQuery, instancesChanged, ProgramsClient } from "../../resources/programs.ts"
import { Button } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { CopyButton } from "../../kit/Copy.tsx"
import { LoadedRecord } from "../../kit/LoadedRecord.tsx"
import { Badge, PageHeader } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { Tabs } from "../../kit/Tabs.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { pageRoute } from "../../kit/pageRoute.ts"
import { instanceStates } from "../../kit/states.ts"
import { Enrollments } from "./Enrollments.tsx"
import { Report } from "./Report.tsx"
import { Terms } from "./Terms.tsx"

const route = pageRoute("/dashboard/programs/$id")

const Head = ({ instance }: { readonly instance: ProgramInstance }) => {
  const t = useMessages("program")
  const toast = useToast()
  const navigate = useNavigate()
  const call = useApi(ProgramsClient)
  const [asking, setAsking] = useState<"archive" | "remove">()
  const setStatus = (status: ProgramInstanceStatus) =>
    call(
      (client) => client.programInstances.update({ params: { id: instance.id }, payload: { status } }),
      instancesChanged
    )
  const change = useAction(async (status: ProgramInstanceStatus) => {
    await setStatus(status)
    toast.done(t.saved)
  })
  const remove = async () => {
    await call((client) => client.programInstances.remove({ params: { id: instance.id } }), instancesChanged)
    toast.done(t.removed)
    await navigate({ to: "/dashboard/programs" })
  }
  const address = new URL(instance.enrollPath, location.href).href
  return (
    <>
      <PageHeader
        title={instance.title}
        above={<Link to="/dashboard/programs">{t.programs}</Link>}
        lead={
          <span className="actions">
            <Badge state={instanceStates[instance.status]}>{t.statuses[instance.status]}</Badge>
            <span>{instance.programSlug}</span>
            <a href={instance.enrollPath} target="_blank" rel="noopener">
              {t.enrollPage}
            </a>
            <CopyButton text={address} label={t.copyAddress} />
          </span>
        }
        actions={
          instance.status !== "ARCHIVED" && (
            <>
              <Button
                busy={change.busy}
                onClick={() => void change.run(instance.status === "ACTIVE" ? "INACTIVE" : "ACTIVE")}
              >
                {instance.status === "ACTIVE" ? t.pause : t.resume}
              </Button>
              <Button tone="danger" onClick={() => setAsking("archive")}>
                {t.archive}
              </Button>
              <Button tone="danger" onClick={() => setAsking("remove")}>
                {t.remove}
              </Button>
            </>
          )
        }
      />
      {change.problem && <ProblemNotice problem={change.problem} />}
      <ConfirmDialog
        open={asking === "archive"}
        onClose={() => setAsking(undefined)}
        title={t.archive}
        name={instance.slug}
        action={t.archive}
        act={() => setStatus("ARCHIVED")}
      >
        {t.archiveLead}
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === "remove"}
        onClose={() => setAsking(undefined)}
        title={t.remove}
        name={instance.slug}
        action={t.remove}
        act={remove}
      >
        {t.removeLead}
      </ConfirmDialog>
    </>
  )
}

export const Page = () => {
  const t = useMessages("program")
  const id = route.useParams().id
  const view = route.useSearch().view ?? "enrollments"
  const change = route.useChange()
  return (
    <LoadedRecord
      key={id}
      query={instanceQuery(id)}
      title={t.title}
      above={<Link to="/dashboard/programs">{t.programs}</Link>}
    >
      {(instance) => (
        <>
          <Head instance={instance} />
          <Tabs
            label={t.views}
            value={view}
            onChange={(next) => change({ view: next, page: undefined, status: undefined })}
            tabs={[
              { id: "enrollments", label: t.enrollments, content: <Enrollments instance={instance} /> },
              { id: "report", label: t.report, content: <Report instance={instance} /> },
              { id: "terms", label: t.terms, content: <Terms instance={instance} /> }
            ]}
          />
        </>
      )}
    </LoadedRecord>
  )
}
