import ground from "./migrations/0001_create_ground.ts"

/** Every migration, in order. Append only: a migration that has landed is never edited. */
export const migrations = {
  "0001_create_ground": ground
}
