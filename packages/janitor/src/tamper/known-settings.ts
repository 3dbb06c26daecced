import type { ChangedFile } from './changed-file.ts';
import type { CodeLine } from './live-code.ts';

/** A setting that code compares with a value. */
export interface KnownSetting {
  path: string;
  at: number;
  /** Its name and the value, without quotes. */
  values: [name: string, value: string];
}

const asked =
  /\b(?:get_env|fetch_env!?|compile_env!?|getProperty|getenv|GetEnvironmentVariable|GetValue|config|env|settings|Settings|Configuration|ConfigurationManager|environ|ENV|import_meta_env|process\.env)\b[^=!]*?["':.[]([A-Za-z][\w.-]*)["'\])]*[^=!]*?(?:={2,3}|!={1,2}|\.equals\s*\()\s*(?:["']([^"']+)["']|:?([\w.]+))/;

/** Conditions of new lines on a setting's value. Pure. */
export function knownSettings({ path }: ChangedFile, code: readonly CodeLine[]): KnownSetting[] {
  return code.flatMap(({ at, text }) => {
    if (!/\bif\b|\?|\bcase\b|&&|\band\b|\bwhen\b|\bunless\b/.test(text)) return [];
    const [, name, quoted, plain] = asked.exec(text) ?? [];
    const value = quoted ?? plain;
    return name === undefined || value === undefined ? [] : [{ path, at, values: [name, value] }];
  });
}

/** Whether a file gives settings to tests alone. Pure. */
export function isTestSettings(path: string): boolean {
  return /(^|\/)(?:config\/test\.exs|\.env\.test(?:\.\w+)?|application-test\.(?:ya?ml|properties)|appsettings\.[Tt]est(?:ing|s)?\.json|config\/environments\/test\.rb|settings[_./](?:test|testing)\.py|test_settings\.py|config\/(?:test|testing)\.(?:json|ya?ml|toml|[cm]?[jt]s)|phpunit(?:\.dist)?\.xml(?:\.dist)?|pytest\.ini)$/.test(
    path,
  );
}
