import type { ProgramInstance, ProgramInstanceStatus } from "@edp/domain/programs/ProgramInstance"
import { Link, useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useTexts } from "../../i18n/useTexts.ts"
import { Button } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { CopyButton } from "../../kit/Copy.tsx"
import { LoadedRecord } from "../../kit/LoadedRecord.tsx"
import { Badge, PageHeader, type State } from "../../kit/Parts.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { Tabs } from "../../kit/Tabs.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAct } from "../../kit/useAct.ts"
import { useParameters } from "../../kit/useParameters.ts"
import { Enrollments } from "./Enrollments.tsx"
import { instanceQuery, ProgramClient } from "./queries.ts"
import { Report } from "./Report.tsx"
import { Terms } from "./Terms.tsx"
import { texts } from "./texts.ts"

const statusStates: Readonly<Record<ProgramInstanceStatus, State>> = {
  ACTIVE: "good",
  INACTIVE: "warn",
  ARCHIVED: "plain"
}

const views = ["enrollments", "report", "terms"] as const
type View = (typeof views)[number]

const isView = (text: string | undefined): text is View => views.includes(text as View)

const Head = ({ instance }: { readonly instance: ProgramInstance }) => {
  const t = useTexts(texts)
  const toast = useToast()
  const navigate = useNavigate()
  const call = useApi(ProgramClient)
  const [asking, setAsking] = useState<"archive" | "remove">()
  const setStatus = (status: ProgramInstanceStatus) =>
    call(
      (client) => client.programInstances.update({ params: { id: instance.id }, payload: { status } }),
      ["programInstances"]
    )
  const change = useAct(async (status: ProgramInstanceStatus) => {
    await setStatus(status)
    toast.done(t.saved)
  })
  const remove = async () => {
    await call((client) => client.programInstances.remove({ params: { id: instance.id } }), ["programInstances"])
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
            <Badge state={statusStates[instance.status]}>{t.statuses[instance.status]}</Badge>
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
  const t = useTexts(texts)
  const { id = "" } = useParams({ strict: false })
  const [parameters, change] = useParameters()
  const view = isView(parameters["view"]) ? parameters["view"] : "enrollments"
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
