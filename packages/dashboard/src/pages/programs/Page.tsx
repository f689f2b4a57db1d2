import { type ProgramInstanceStatus, programInstanceStatuses } from "@edp/domain/programs/ProgramInstance"
import type { Program } from "@edp/domain/programs/Program"
import type { ProgramInstance } from "@edp/domain/programs/ProgramInstance"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { PagedTable } from "../../kit/PagedTable.tsx"
import { Badge, Card, Empty, PageHeader, type State } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import type { Column } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useChange } from "../../kit/useChange.ts"
import { InstanceDialog } from "./InstanceDialog.tsx"
import { ProgramDialog } from "./ProgramDialog.tsx"
import { instancesQuery, ProgramsClient, programsQuery } from "./queries.ts"
import { messages } from "./messages.ts"

const route = getRouteApi("/dashboard/programs")

const statusStates: Readonly<Record<ProgramInstanceStatus, State>> = {
  ACTIVE: "good",
  INACTIVE: "warn",
  ARCHIVED: "plain"
}

const Instances = ({ onCreate }: { readonly onCreate: () => void }) => {
  const t = useMessages(messages)
  const { page = 1, status } = route.useSearch()
  const change = useChange(route.useNavigate())
  const columns: ReadonlyArray<Column<ProgramInstance>> = [
    {
      id: "title",
      header: t.titleLabel,
      isName: true,
      cell: (row) => (
        <Link to="/dashboard/programs/$id" params={{ id: row.id }}>
          {row.title}
        </Link>
      )
    },
    { id: "program", header: t.program, cell: (row) => row.programSlug },
    {
      id: "status",
      header: t.status,
      cell: (row) => <Badge state={statusStates[row.status]}>{t.statuses[row.status]}</Badge>
    },
    {
      id: "page",
      header: t.enrollPage,
      isExtra: true,
      cell: (row) => (
        <a href={row.enrollPath} target="_blank" rel="noopener">
          {row.enrollPath}
        </a>
      )
    },
    { id: "created", header: t.created, isExtra: true, cell: (row) => <Age time={row.createdAt} /> }
  ]
  return (
    <Card
      flush
      title={t.instances}
      actions={
        <>
          <SelectField
            label={t.status}
            hideLabel
            value={status ?? ""}
            options={[
              { value: "", label: t.all },
              ...programInstanceStatuses.map((value) => ({ value, label: t.statuses[value] }))
            ]}
            onChange={(value) => change({ status: value || undefined, page: undefined })}
          />
          <Button icon="plus" tone="main" onClick={onCreate}>
            {t.newInstance}
          </Button>
        </>
      }
    >
      <PagedTable
        query={instancesQuery(page, status)}
        onPage={(next) => change({ page: next })}
        caption={t.instances}
        columns={columns}
        id={(row) => row.id}
        empty={
          <Empty icon="program" title={t.noInstances}>
            {t.noInstancesHint}
          </Empty>
        }
      />
    </Card>
  )
}

const Programs = ({ onCreate }: { readonly onCreate: () => void }) => {
  const t = useMessages(messages)
  const language = useLanguage()
  const toast = useToast()
  const call = useApi(ProgramsClient)
  const [page, setPage] = useState(1)
  const setActive = useAction(async (program: Program, active: boolean) => {
    await call(
      (client) => client.programs.update({ params: { slug: program.slug }, payload: { active } }),
      ["programs"]
    )
    toast.done(active ? t.openedProgram(program.name) : t.closedProgram(program.name))
  })
  const day = (time: Program["startsAt"]) =>
    time === null ? "…" : formatTime(language, Date.parse(String(time)), { dateStyle: "medium" })
  const columns: ReadonlyArray<Column<Program>> = [
    {
      id: "name",
      header: t.name,
      isName: true,
      cell: (row) => (
        <span>
          {row.name} <span className="muted">{row.slug}</span>
        </span>
      )
    },
    { id: "states", header: t.states, cell: (row) => (row.states.length === 0 ? t.everyState : row.states.join(", ")) },
    { id: "visibility", header: t.visibility, isExtra: true, cell: (row) => t.visibilities[row.visibility] },
    {
      id: "runs",
      header: t.runs,
      isExtra: true,
      cell: (row) => (row.startsAt === null && row.endsAt === null ? "–" : `${day(row.startsAt)} – ${day(row.endsAt)}`)
    },
    {
      id: "takes",
      header: t.takes,
      cell: (row) => <Badge state={row.active ? "good" : "plain"}>{row.active ? t.active : t.closed}</Badge>
    },
    {
      id: "act",
      header: "",
      align: "end",
      cell: (row) => (
        <Button small busy={setActive.busy} onClick={() => void setActive.run(row, !row.active)}>
          {row.active ? t.close : t.open}
        </Button>
      )
    }
  ]
  return (
    <Card
      flush
      title={t.programs}
      actions={
        <Button icon="plus" onClick={onCreate}>
          {t.newProgram}
        </Button>
      }
    >
      {setActive.problem && <ProblemNotice problem={setActive.problem} />}
      <PagedTable
        query={programsQuery(page)}
        onPage={setPage}
        caption={t.programs}
        columns={columns}
        id={(row) => row.slug}
        empty={
          <Empty icon="program" title={t.noPrograms}>
            {t.noProgramsHint}
          </Empty>
        }
      />
    </Card>
  )
}

export const Page = () => {
  const t = useMessages(messages)
  const [dialog, setDialog] = useState<"program" | "instance">()
  const close = () => setDialog(undefined)
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} />
      <Instances onCreate={() => setDialog("instance")} />
      <Programs onCreate={() => setDialog("program")} />
      <InstanceDialog open={dialog === "instance"} onClose={close} />
      <ProgramDialog open={dialog === "program"} onClose={close} />
    </>
  )
}
