import { isEmpty } from "@edp/domain/collections/criteria"
import { type ProgramInstance, programInstanceStatuses } from "@edp/domain/programs/ProgramInstance"
import type { Program } from "@edp/domain/programs/Program"
import { stateNames } from "@edp/domain/shared/unitedStates"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { instancesQuery, programsChanged, ProgramsClient, programsQuery } from "../../resources/programs.ts"
import { Button, IconButton } from "../../kit/Button.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Badge, PageHeader } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import type { Column } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { pageRoute } from "../../kit/pageRoute.ts"
import { instanceStates } from "../../kit/states.ts"
import { useCriteriaText } from "../../kit/useCriteriaText.ts"
import { type ConditionGroup, type ConditionRow, isGroup, toForm } from "./condition.ts"
import { InstanceDialog } from "./InstanceDialog.tsx"
import { ProgramDialog } from "./ProgramDialog.tsx"

const route = pageRoute("/dashboard/programs")

const Instances = ({ onCreate }: { readonly onCreate: () => void }) => {
  const t = useMessages("programs")
  const search = route.useSearch()
  const change = route.useChange()
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
      cell: (row) => <Badge state={instanceStates[row.status]}>{t.statuses[row.status]}</Badge>
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
    <RecordList
      title={t.instances}
      query={instancesQuery(search)}
      paging={{ onPage: (page) => change({ page }) }}
      id={({ id }) => id}
      columns={columns}
      none={{ icon: "program", title: t.noInstances, hint: t.noInstancesHint }}
      actions={
        <>
          <ChoiceFilter
            label={t.status}
            hideLabel
            all={t.all}
            value={search.status}
            values={programInstanceStatuses}
            name={(value) => t.statuses[value]}
            onChange={(status) => change({ status, page: undefined })}
          />
          <Button icon="plus" tone="main" onClick={onCreate}>
            {t.newInstance}
          </Button>
        </>
      }
    />
  )
}

/** The condition of a program in words. */
const useConditionText = () => {
  const t = useMessages("programs")
  const { types } = useMessages("devices")
  const criteriaText = useCriteriaText()
  const ruleText = ({ attribute, value }: ConditionRow) =>
    `${t.attributes[attribute]} ${attribute === "type" ? (types[value as keyof typeof types] ?? value) : value}`
  const groupText = ({ match, rows }: ConditionGroup) => rows.map(ruleText).join(` ${t.joins[match]} `)
  return (criteria: Program["eligibility"]): string => {
    if (criteria === null || isEmpty(criteria)) return t.noCondition
    const form = toForm(criteria)
    if (form === undefined) return criteriaText(criteria)
    const parts = form.rows.map((row) => (isGroup(row) ? `(${groupText(row)})` : ruleText(row)))
    return parts.join(` ${t.joins[form.match]} `)
  }
}

interface ProgramsProps {
  readonly onCreate: () => void
  readonly onEdit: (program: Program) => void
}

const Programs = ({ onCreate, onEdit }: ProgramsProps) => {
  const t = useMessages("programs")
  const language = useLanguage()
  const toast = useToast()
  const call = useApi(ProgramsClient)
  const [page, setPage] = useState(1)
  const setActive = useAction(async (program: Program, active: boolean) => {
    await call(
      (client) => client.programs.update({ params: { slug: program.slug }, payload: { active } }),
      programsChanged
    )
    toast.done(active ? t.openedProgram({ name: program.name }) : t.closedProgram({ name: program.name }))
  })
  const conditionText = useConditionText()
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
    {
      id: "states",
      header: t.states,
      cell: (row) =>
        row.states.length === 0 ? t.everyState : row.states.map((code) => stateNames[code] ?? code).join(", ")
    },
    { id: "condition", header: t.eligibility, cell: (row) => conditionText(row.eligibility) },
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
        <span className="actions program-actions">
          <IconButton icon="pen" label={t.changeNamed({ name: row.name })} onClick={() => onEdit(row)} />
          <Button small busy={setActive.busy} onClick={() => void setActive.run(row, !row.active)}>
            {row.active ? t.close : t.open}
          </Button>
        </span>
      )
    }
  ]
  return (
    <RecordList
      title={t.programs}
      query={programsQuery(page)}
      paging={{ onPage: setPage }}
      columns={columns}
      id={(row) => row.slug}
      none={{ icon: "program", title: t.noPrograms, hint: t.noProgramsHint }}
      actions={
        <Button icon="plus" onClick={onCreate}>
          {t.newProgram}
        </Button>
      }
      above={() => setActive.problem && <ProblemNotice problem={setActive.problem} />}
    />
  )
}

export const Page = () => {
  const t = useMessages("programs")
  const { edit } = route.useSearch()
  const change = route.useChange()
  const [changed, setChanged] = useState<Program>()
  const close = () => {
    setChanged(undefined)
    if (edit !== undefined) change({ edit: undefined }, { replace: true })
  }
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} />
      <Instances onCreate={() => change({ edit: "new" })} />
      <Programs onCreate={() => change({ edit: "program" })} onEdit={setChanged} />
      <InstanceDialog open={edit === "new"} onClose={close} />
      <ProgramDialog open={edit === "program" || changed !== undefined} stored={changed} onClose={close} />
    </>
  )
}
