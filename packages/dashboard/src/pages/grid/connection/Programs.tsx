import type { GridProgram } from "@edp/domain/grid/GridProgram"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useMessages } from "../../../i18n/useMessages.ts"
import { gridProgramsQuery } from "../../../resources/grid.ts"
import { allInstancesQuery } from "../../../resources/programs.ts"
import { Button } from "../../../kit/Button.tsx"
import { RecordList } from "../../../kit/RecordList.tsx"
import { Badge } from "../../../kit/components.tsx"
import { currentValue, useAtomValue } from "../../../state/atoms.ts"
import { ProgramDialog } from "./ProgramDialog.tsx"
import { useRuleText } from "./useRuleText.ts"

const Rules = ({ program: { rules } }: { readonly program: GridProgram }) => {
  const t = useMessages("grid")
  const ruleText = useRuleText()
  if (rules.length === 0) return <span className="muted">{t.noRules}</span>
  return (
    <ol className="grid-rules">
      {rules.map((rule, index) => {
        const { condition, effect } = ruleText(rule)
        return (
          // oxlint-disable-next-line react/no-array-index-key -- rules have no id, and their order counts
          <li key={index}>
            <strong>{condition}</strong> → {effect}
          </li>
        )
      })}
    </ol>
  )
}

const Instance = ({ id }: { readonly id: string | null }) => {
  const t = useMessages("grid")
  const instances = currentValue(useAtomValue(allInstancesQuery))?.data ?? []
  if (id === null) return <Badge state="warn">{t.noInstance}</Badge>
  return (
    <Link to="/dashboard/programs/$id" params={{ id }}>
      {instances.find((each) => each.id === id)?.title ?? t.instance}
    </Link>
  )
}

/** The programs of a VTN, whose devices follow them, and what their events mean. */
export const Programs = ({ id }: { readonly id: string }) => {
  const t = useMessages("grid")
  const [edited, setEdited] = useState<GridProgram>()
  return (
    <RecordList
      title={t.programs}
      query={gridProgramsQuery(id)}
      paging={{ onPage: () => {} }}
      id={(row) => row.id}
      name={({ name }) => name}
      none={{ icon: "program", title: t.noPrograms, hint: t.noProgramsHint }}
      columns={[
        {
          id: "name",
          header: t.program,
          isName: true,
          cell: ({ name, payloadTypes, removedAt }) => (
            <span className="grid-name">
              {name}
              {payloadTypes.length > 0 && <span className="muted">{payloadTypes.join(", ")}</span>}
              {removedAt !== null && <Badge state="warn">{t.noLongerListed}</Badge>}
            </span>
          )
        },
        { id: "instance", header: t.instance, cell: ({ programInstanceId }) => <Instance id={programInstanceId} /> },
        { id: "rules", header: t.rules, cell: (row) => <Rules program={row} /> },
        {
          id: "edit",
          header: "",
          align: "end",
          cell: (row) => (
            <Button small icon="pen" aria-label={t.editRulesOf({ name: row.name })} onClick={() => setEdited(row)}>
              {t.editRules}
            </Button>
          )
        }
      ]}
    >
      <ProgramDialog program={edited} onClose={() => setEdited(undefined)} />
    </RecordList>
  )
}
