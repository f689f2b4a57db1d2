/** A list of programs' records, and the bare statements for one of its pages. */
export interface ProgramPage {
  readonly name: string
  /** As many requests that differ. */
  readonly paths: ReadonlyArray<string>
  readonly statements: ReadonlyArray<string>
}

const many = (count: number, make: (n: number) => string) => Array.from({ length: count }, (_, n) => make(n))

const pageAndCount = (columns: string, table: string, condition: string, order: string, limit: number) => [
  `SELECT ${columns} FROM ${table} WHERE ${condition} ORDER BY ${order} LIMIT ${limit}`,
  `SELECT count(*)::int FROM ${table} WHERE ${condition}`
]

export interface ProgramLists {
  readonly workspaceId: string
  readonly programInstanceId: string
  readonly programs: number
  readonly instances: number
  readonly homes: number
  readonly dispatches: number
  /** A dispatch with so many sites. */
  readonly dispatchId: string
  readonly sites: number
}

const padded = (kind: string, n: number) => `cp${kind}${`${n}`.padStart(22, "0")}`

/** Every list of programs, instances, enrollments, dispatches and participants, with every filter of enrollments. */
export const programPages = (lists: ProgramLists): ReadonlyArray<ProgramPage> => {
  const { dispatchId, dispatches, homes, instances, programInstanceId, programs, sites, workspaceId } = lists
  const enrolled = `/v1/programInstances/${programInstanceId}/enrollments?perPage=20`
  const enrollments = (name: string, paths: ReadonlyArray<string>, condition: string) => ({
    name: `20 of 100,000 enrollments${name}`,
    paths,
    statements: pageAndCount(
      "*",
      "enrollments",
      `program_instance_id = '${programInstanceId}'${condition}`,
      "id DESC",
      20
    )
  })
  const participants = (name: string, paths: ReadonlyArray<string>, condition: string) => ({
    name: `20 of 10,000 participants${name}`,
    paths,
    statements: pageAndCount("*", "dispatch_sites", `dispatch_id = '${dispatchId}'${condition}`, "site_id", 20)
  })
  return [
    {
      name: "20 programs",
      paths: many(Math.floor(programs / 20), (n) => `/v1/programs?perPage=20&page=${n + 1}`),
      statements: pageAndCount("*", "programs", "visibility = 'PUBLIC'", "id DESC", 20)
    },
    {
      name: "20 program instances",
      paths: many(Math.floor(instances / 20), (n) => `/v1/programInstances?perPage=20&page=${n + 1}`),
      statements: pageAndCount("*", "program_instances", `workspace_id = '${workspaceId}'`, "id DESC", 20)
    },
    enrollments(
      "",
      many(100, (n) => `${enrolled}&page=${n + 1}`),
      ""
    ),
    enrollments(
      " by status",
      many(100, (n) => `${enrolled}&status=submitted&page=${n + 1}`),
      " AND status = 'submitted'"
    ),
    enrollments(
      " by customer",
      many(1000, (n) => `${enrolled}&customerId=${padded("u", n * 7 + 1)}`),
      ` AND workspace_id = '${workspaceId}' AND customer_id = '${padded("u", 77)}'`
    ),
    enrollments(
      " by site",
      many(1000, (n) => `${enrolled}&siteId=${padded("s", n * 7 + 1)}`),
      ` AND workspace_id = '${workspaceId}' AND site_id = '${padded("s", 77)}'`
    ),
    enrollments(
      " by tag",
      many(100, (n) => `${enrolled}&tag=group-${n}`),
      " AND tags && '{group-77}'"
    ),
    enrollments(
      " by reference",
      many(1000, (n) => `${enrolled}&referenceId=user-${((n * 97) % homes) + 1}`),
      " AND md5(reference_id) = md5('user-77')"
    ),
    {
      name: "10 dispatches with the counts of their 1,000 sites each",
      paths: many(
        Math.floor(dispatches / 10),
        (n) => `/v1/programInstances/${programInstanceId}/dispatches?perPage=10&page=${n + 1}`
      ),
      statements: [
        `WITH page AS (SELECT * FROM dispatches WHERE program_instance_id = '${programInstanceId}' AND status = 'completed'
            ORDER BY id DESC OFFSET 100 LIMIT 10)
          SELECT page.*, state, n FROM page,
            LATERAL (SELECT state, count(*) AS n FROM dispatch_sites WHERE dispatch_id = page.id GROUP BY 1) AS counted`,
        `SELECT count(*) FROM dispatches WHERE program_instance_id = '${programInstanceId}'`
      ]
    },
    participants(
      "",
      many(Math.floor(sites / 20), (n) => `/v1/dispatches/${dispatchId}/participants?perPage=20&page=${n + 1}`),
      ""
    ),
    participants(
      " by state",
      many(20, (n) => `/v1/dispatches/${dispatchId}/participants?perPage=20&state=unresponsive&page=${n + 1}`),
      " AND state = 'unresponsive'"
    )
  ]
}
