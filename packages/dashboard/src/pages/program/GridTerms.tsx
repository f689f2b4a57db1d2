import type { GridProgram } from "@edp/domain/grid/GridProgram"
import { Link } from "@tanstack/react-router"
import { useMessages } from "../../i18n/useMessages.ts"
import { instanceGridProgramsQuery } from "../../resources/grid.ts"
import { Badge, Card, Facts } from "../../kit/components.tsx"
import { Loaded } from "../../kit/Loaded.tsx"

type Descriptor = GridProgram["payloadDescriptors"][number]
type Value = GridProgram["attributes"][number]["values"][number]

const formatValue = (value: Value) => (typeof value === "object" ? `(${value.x}, ${value.y})` : String(value))

const formatPayloads = (descriptors: ReadonlyArray<Descriptor>, of: Descriptor["of"]) =>
  descriptors
    .filter((descriptor) => descriptor.of === of)
    .map(({ currency, payloadType, readingType, units }) => {
      const details = [units, currency, readingType].filter((detail) => detail !== null)
      return details.length === 0 ? payloadType : `${payloadType} (${details.join(", ")})`
    })
    .join(", ")

/** An address of another scheme than http and https is shown, and leads nowhere. */
const Description = ({ url }: { readonly url: string }) =>
  /^https?:\/\//iu.test(url) ? (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  ) : (
    url
  )

const FollowedProgram = ({ program }: { readonly program: GridProgram }) => {
  const t = useMessages("program")
  const grid = useMessages("grid")
  const { attributes, connectionId, connectionName, descriptionUrls, payloadDescriptors, removedAt } = program
  const labels: Readonly<Record<string, string>> = t.attributes
  return (
    <Card title={t.followed({ name: program.name })}>
      <div className="stack">
        <p className="muted">
          {t.followedNote} {removedAt !== null && <Badge state="warn">{grid.noLongerListed}</Badge>}
        </p>
        <Facts
          items={[
            [
              grid.connection,
              <Link key={connectionId} to="/dashboard/grid-connections/$id" params={{ id: connectionId }}>
                {connectionName}
              </Link>
            ],
            [t.vtnProgram, program.vtnProgramId],
            ...attributes.map(
              ({ type, values }) => [labels[type] ?? type, values.map(formatValue).join(", ")] as const
            ),
            [t.eventPayloads, formatPayloads(payloadDescriptors, "events")],
            [t.reportPayloads, formatPayloads(payloadDescriptors, "reports")],
            [
              t.descriptions,
              descriptionUrls.length > 0 && (
                <ul className="program-links">
                  {descriptionUrls.map((url) => (
                    <li key={url}>
                      <Description url={url} />
                    </li>
                  ))}
                </ul>
              )
            ]
          ]}
        />
      </div>
    </Card>
  )
}

/** The programs of utilities that the instance follows, with the terms that the utilities state. */
export const GridTerms = ({ id }: { readonly id: string }) => (
  <Loaded query={instanceGridProgramsQuery(id)}>
    {({ data }) => data.map((program) => <FollowedProgram key={program.id} program={program} />)}
  </Loaded>
)
