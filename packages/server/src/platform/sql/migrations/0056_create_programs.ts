import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE programs (
    id text COLLATE "C" PRIMARY KEY,
    slug text COLLATE "C" NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    -- codes of US states; empty means every state
    states text[] NOT NULL,
    active boolean NOT NULL,
    visibility text COLLATE "C" NOT NULL,
    organization_id text COLLATE "C" REFERENCES organizations ON DELETE CASCADE,
    year integer,
    starts_at timestamptz,
    ends_at timestamptz,
    -- criteria of devices
    eligibility json,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX programs_slug_key ON programs (slug)`,
  `CREATE INDEX programs_by_organization ON programs (organization_id, id DESC)`,
  `CREATE INDEX programs_public ON programs (id DESC) WHERE visibility = 'PUBLIC'`,
  `CREATE TABLE program_instances (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    program_id text COLLATE "C" NOT NULL REFERENCES programs ON DELETE CASCADE,
    slug text COLLATE "C" NOT NULL,
    -- the name of the hosted page, unique among all workspaces
    page_slug text COLLATE "C" NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    eligibility_criteria text NOT NULL,
    program_terms text NOT NULL,
    terms_version integer NOT NULL,
    -- [{deadline, activatesAt}] in order of time
    enrollment_periods json NOT NULL,
    custom_fields json,
    status text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX program_instances_slug_key ON program_instances (workspace_id, slug)`,
  `CREATE UNIQUE INDEX program_instances_page_key ON program_instances (page_slug)`,
  `CREATE INDEX program_instances_by_workspace ON program_instances (workspace_id, id DESC)`,
  `CREATE INDEX program_instances_by_program ON program_instances (program_id)`,
  // A customer or a site that is deleted leaves its enrollments as records, so these ids are no foreign keys.
  `CREATE TABLE enrollments (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    program_instance_id text COLLATE "C" NOT NULL REFERENCES program_instances ON DELETE CASCADE,
    identification_type text COLLATE "C" NOT NULL,
    customer_id text COLLATE "C" NOT NULL,
    site_id text COLLATE "C",
    lead_id text,
    status text COLLATE "C" NOT NULL,
    status_reason text,
    manufacturer_slugs text[],
    serial_number text,
    reference_id text,
    reference_description text,
    tags text[] NOT NULL,
    metadata json,
    address json,
    accepted_terms json,
    -- submitted as soon as it is eligible
    submits boolean NOT NULL,
    activates_at timestamptz,
    submitted_at timestamptz,
    approved_at timestamptz,
    rejected_at timestamptz,
    unenrolled_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  ) WITH (fillfactor = 85)`,
  `CREATE UNIQUE INDEX enrollments_live_key ON enrollments (program_instance_id, customer_id)
    WHERE status NOT IN ('rejected', 'ineligible', 'unenrolled')`,
  `CREATE INDEX enrollments_by_instance ON enrollments (program_instance_id, id DESC)`,
  `CREATE INDEX enrollments_by_status ON enrollments (program_instance_id, status, id DESC)`,
  `CREATE INDEX enrollments_by_customer ON enrollments (workspace_id, customer_id, id DESC)`,
  `CREATE INDEX enrollments_by_site ON enrollments (workspace_id, site_id, id DESC) WHERE site_id IS NOT NULL`,
  `CREATE INDEX enrollments_by_reference ON enrollments (program_instance_id, reference_id, id DESC)
    WHERE reference_id IS NOT NULL`,
  `CREATE INDEX enrollments_by_tags ON enrollments USING gin (tags)`,
  // Candidates that are judged again by themselves.
  `CREATE INDEX enrollments_waiting ON enrollments (id) WHERE status = 'candidate' AND submits`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
