import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * How many devices and sites of a workspace have a tag: counting them anew for every list would read a million rows for a
 * single popular tag. A tag's count is spread over shards, so that two writers seldom wait for one another's row. What
 * has a tag always counts in the same shard, told by its id: so no shard falls below zero, and one that reaches it goes.
 * `tag_key` gives the alphabet's order, and finds beginnings in any case.
 */
const counts = [
  `CREATE TABLE tag_counts (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    tag text COLLATE "C" NOT NULL,
    tag_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(tag COLLATE "default")) STORED,
    kind text COLLATE "C" NOT NULL,
    shard smallint NOT NULL,
    n bigint NOT NULL,
    PRIMARY KEY (workspace_id, tag_key, tag, kind, shard)
  ) WITH (fillfactor = 70)`,
  `CREATE FUNCTION drop_spent_tag_count() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM tag_counts WHERE (workspace_id, tag_key, tag, kind, shard)
      = (NEW.workspace_id, NEW.tag_key, NEW.tag, NEW.kind, NEW.shard) AND n <= 0;
    RETURN NULL;
  END
  $$`,
  `CREATE TRIGGER tag_counts_spent AFTER INSERT OR UPDATE ON tag_counts FOR EACH ROW
    WHEN (NEW.n <= 0) EXECUTE FUNCTION drop_spent_tag_count()`
]

const shard = `ascii(right(id, 1)) & 15`

/** Shards are locked in their order, so that two statements don't wait for each other. */
const add = (changes: string) => `
  INSERT INTO tag_counts AS counts (workspace_id, tag, kind, shard, n)
  SELECT change.workspace_id, change.tag, TG_ARGV[0], change.shard, sum(change.n) FROM (${changes}) AS change
  -- rows of a deleted workspace are gone before the cascade reaches what it held
  JOIN workspaces ON workspaces.id = change.workspace_id
  GROUP BY change.workspace_id, change.tag, change.shard HAVING sum(change.n) <> 0
  ORDER BY change.workspace_id, change.tag, change.shard
  ON CONFLICT (workspace_id, tag_key, tag, kind, shard) DO UPDATE SET n = counts.n + excluded.n;`

/** What each row has gained or lost, a tag that it names twice once. */
const all = (rows: string, n: number) =>
  `SELECT DISTINCT id, workspace_id, unnest(tags) AS tag, ${shard} AS shard, ${n} AS n FROM ${rows}`

const changed = `
  SELECT each.workspace_id, each.tag, ${shard} AS shard, each.n FROM added JOIN removed USING (id), LATERAL (
    SELECT added.workspace_id, unnest(added.tags), 1
    UNION SELECT removed.workspace_id, unnest(removed.tags), -1
  ) AS each (workspace_id, tag, n)
  WHERE added.tags <> removed.tags OR added.workspace_id IS DISTINCT FROM removed.workspace_id`

const countTags = `CREATE FUNCTION count_tags() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN ${add(all("added", 1))}
    ELSIF TG_OP = 'DELETE' THEN ${add(all("removed", -1))}
    ELSE ${add(changed)}
    END IF;
    RETURN NULL;
  END
  $$`

const triggers = ["device", "site"].flatMap((kind) => {
  const count = `FOR EACH STATEMENT EXECUTE FUNCTION count_tags('${kind}')`
  return [
    `CREATE TRIGGER ${kind}_tags_counted AFTER INSERT ON ${kind}s REFERENCING NEW TABLE AS added ${count}`,
    `CREATE TRIGGER ${kind}_tags_uncounted AFTER DELETE ON ${kind}s REFERENCING OLD TABLE AS removed ${count}`,
    `CREATE TRIGGER ${kind}_tags_recounted AFTER UPDATE ON ${kind}s
      REFERENCING OLD TABLE AS removed NEW TABLE AS added ${count}`
  ]
})

/** After the triggers: they lock out writers, so that nothing is missed in between. */
const present = ["device", "site"].map(
  (kind) => `INSERT INTO tag_counts (workspace_id, tag, kind, shard, n)
    SELECT workspace_id, tag, '${kind}', shard, sum(n) FROM (${all(`${kind}s`, 1)}) AS each
    WHERE workspace_id IS NOT NULL GROUP BY workspace_id, tag, shard`
)

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...counts, countTags, ...triggers, ...present]) yield* sql.unsafe(statement)
})
