import { decodeBody, searchableText } from "../message-row.ts";
import { indexTags } from "../search/index-tags.ts";
import { indexText } from "../search/index-text.ts";
import type { Migration } from "./migration.ts";

/**
 * The index of messages knows role, source and session, so that a filter costs no more than a word; sessions are found by what they
 * belong to. What is stored is indexed again: about a minute for a million messages.
 */
export const searchFilters: Migration = {
  name: "005-search-filters",
  functions: {
    index_words: (body) => indexText(searchableText(decodeBody(String(body)))).words,
    index_cjk: (body) => indexText(searchableText(decodeBody(String(body)))).cjk,
    index_tags: (role, source, session) =>
      indexTags({ role: role as "user", source: String(source), session: Number(session) }),
  },
  sql: `
    CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;
    CREATE INDEX sessions_by_conversation ON sessions (conversation);

    DROP TABLE message_text;
    CREATE VIRTUAL TABLE message_text USING fts5 (
      words, cjk, tags, content = '', contentless_delete = 1, prefix = '2', tokenize = 'unicode61 remove_diacritics 2'
    );
    INSERT INTO message_text (rowid, words, cjk, tags)
    SELECT n, words, cjk, tags FROM (
      SELECT messages.n, index_words(body) AS words, index_cjk(body) AS cjk, index_tags(role, source, sessions.n) AS tags
      FROM messages JOIN sessions ON sessions.n = abs(messages.session)
    )
    WHERE words <> '' OR cjk <> ''
    ORDER BY n;
  `,
};
