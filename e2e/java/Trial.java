import com.fasterxml.jackson.databind.ObjectMapper;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.embeddings.CreateEmbeddingResponse;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.models.Model;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Runs the checks of a client of Java and prints their results as one line of JSON. The environment variable TRIAL holds the task. */
public class Trial {
  static final ObjectMapper JSON = new ObjectMapper();
  static final Map<String, Object> results = new LinkedHashMap<>();

  public static void main(String[] arguments) throws Exception {
    Map<?, ?> trial = JSON.readValue(System.getenv("TRIAL"), Map.class);
    OpenAIClient client =
        OpenAIOkHttpClient.builder().baseUrl(trial.get("url") + "/v1").apiKey((String) trial.get("apiKey")).maxRetries(0).build();
    ChatCompletionCreateParams asked =
        ChatCompletionCreateParams.builder().model((String) trial.get("model")).addUserMessage((String) trial.get("question")).build();
    check("answer", () -> client.chat().completions().create(asked).validate().choices().get(0).message().content().orElse(""));
    check("stream", () -> {
      List<String> pieces = new ArrayList<>();
      try (var stream = client.chat().completions().createStreaming(asked)) {
        stream.stream().forEach(chunk -> chunk.validate().choices().forEach(choice -> choice.delta().content().ifPresent(pieces::add)));
      }
      pieces.removeIf(String::isEmpty);
      return pieces;
    });
    check("models", () -> {
      var page = client.models().list();
      page.response().validate();
      return page.data().stream().map(Model::validate).map(Model::id).anyMatch(trial.get("model")::equals);
    });
    if (trial.get("embeddingModel") != null)
      check("embeddings", () -> {
        List<String> texts = ((List<?>) trial.get("texts")).stream().map(String::valueOf).toList();
        CreateEmbeddingResponse made =
            client.embeddings().create(EmbeddingCreateParams.builder().model((String) trial.get("embeddingModel")).inputOfArrayOfStrings(texts).build());
        return List.of(made.validate().data().stream().map(one -> one.embedding()).toList());
      });
    System.out.println(JSON.writeValueAsString(results));
    System.exit(0);
  }

  static void check(String name, Callable<?> run) {
    Map<String, Object> outcome = new LinkedHashMap<>();
    try {
      outcome.put("value", run.call());
    } catch (Exception error) {
      outcome.put("error", error.toString());
    }
    results.put(name, outcome);
  }
}
